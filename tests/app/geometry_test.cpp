#include "src/pipeline/geometry.h"

#include "src/pipeline/same_grid.h"

#include <doctest/doctest.h>
#include <limits>

using namespace voxcc;

namespace {

io::VolumeInfo volume(const std::string& path, const Extent& extent, const std::optional<io::Affine>& affine) {
    io::VolumeInfo info;
    info.path = path;
    info.extent = extent;
    info.geometry.affine = affine;
    info.geometry.unit = io::LengthUnit::mm;
    return info;
}

std::string grid_check(const io::VolumeInfo& a, const io::VolumeInfo& b) { return require_same_grid(a, b, {}); }

constexpr io::Affine oblique{{{1.9, 0.3, 0, -90}, {-0.3, 1.9, 0, 126}, {0, 0, 2.5, 72}}};

}  // namespace

TEST_CASE("world coordinates come from the affine, else the spacing, else voxel indices") {
    io::VolumeInfo info = volume("a", {2, 2, 2}, std::nullopt);
    CHECK(stated_world(info)->affine == io::Affine{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}});
    CHECK_THROWS_AS(world_of(info, Units::mm), Error);
    info.geometry.spacing = {2, 3, 4};
    CHECK(world_of(info, Units::mm)->affine == io::Affine{{{2, 0, 0, 0}, {0, 3, 0, 0}, {0, 0, 4, 0}}});
    CHECK(world_of(info, Units::um)->affine == io::Affine{{{2000, 0, 0, 0}, {0, 3000, 0, 0}, {0, 0, 4000, 0}}});
    CHECK(world_of(info, Units::voxel)->affine == io::Affine{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}});
    info.geometry.affine = oblique;
    CHECK(world_of(info, Units::mm)->affine == oblique);
    info.geometry.unit.reset();
    CHECK(world_of(info, Units::unit)->affine == oblique);
    CHECK_THROWS_AS(world_of(info, Units::mm), Error);
}

TEST_CASE("a singular or non-finite affine or spacing gives no world coordinates") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    for (const auto& [row, column, value] : {std::tuple{0, 0, nan}, {1, 3, infinity}, {2, 2, 0.0}}) {
        io::Affine bad = oblique;
        bad[std::size_t(row)][std::size_t(column)] = value;
        CHECK_FALSE(world_of(volume("a", {2, 2, 2}, bad), Units::mm));
    }
    io::Affine flat = oblique;
    flat[2] = flat[0];
    CHECK_FALSE(world_of(volume("a", {2, 2, 2}, flat), Units::mm));
    io::VolumeInfo info = volume("a", {2, 2, 2}, std::nullopt);
    for (const double bad : {0.0, nan, infinity}) {
        info.geometry.spacing = {1, bad, 1};
        CHECK_FALSE(world_of(info, Units::mm));
    }
    // An affine with very different voxel sizes is not singular.
    CHECK(world_of(volume("a", {2, 2, 2}, io::Affine{{{1e-4, 0, 0, 0}, {0, 1e-4, 0, 0}, {0, 0, 1e3, 0}}}), Units::mm));
}

TEST_CASE("NumPy files of equal shape must have the same order") {
    using enum io::ArrayOrder;
    const auto array = [](const Extent& extent, io::ArrayOrder order, int count) {
        io::VolumeInfo info = volume("a.npy", extent, std::nullopt);
        info.details = io::NumpyDetails{{order, count}};
        return info;
    };
    const io::VolumeInfo cube = array({9, 9, 9}, c, 3);
    CHECK_THROWS_AS(grid_check(cube, array({9, 9, 9}, fortran, 3)), Error);
    CHECK_THROWS_WITH(require_same_array_order(cube, array({9, 9, 9}, fortran, 3)),
                      "a.npy: has Fortran order, but a.npy has the same shape and C order");
    CHECK_THROWS_AS(require_same_array_order(array({4, 5, 6}, c, 3), array({6, 5, 4}, fortran, 3)), Error);
    CHECK_THROWS_AS(require_same_array_order(array({4, 4, 1}, c, 2), array({4, 4, 1}, fortran, 2)), Error);
    CHECK_NOTHROW(grid_check(cube, cube));
    CHECK_NOTHROW(grid_check(array({4, 5, 6}, c, 3), array({4, 5, 6}, fortran, 3)));  // array[z, y, x] and array[x, y, z]
    CHECK_NOTHROW(grid_check(array({4, 1, 1}, c, 1), array({4, 1, 1}, fortran, 1)));
    CHECK_NOTHROW(grid_check(cube, volume("b.nii", {9, 9, 9}, std::nullopt)));
}

TEST_CASE("grids must be equal up to rounding; the error shows both") {
    const io::VolumeInfo labels = volume("labels.nii", {20, 30, 40}, oblique);
    const auto kind_for = [&](const io::VolumeInfo& other) -> std::optional<ErrorKind> {
        try {
            grid_check(labels, other);
        } catch (const Error& error) {
            const std::string what = error.what();
            CHECK(what.find("labels.nii") != std::string::npos);
            CHECK(what.find("image.nii") != std::string::npos);
            return error.kind();
        }
        return std::nullopt;
    };
    CHECK_FALSE(kind_for(volume("image.nii", {20, 30, 40}, oblique)));
    CHECK_FALSE(kind_for(volume("image.nii", {20, 30, 40}, std::nullopt)));
    CHECK(kind_for(volume("image.nii", {20, 30, 41}, oblique)) == ErrorKind::invalid_file);
    CHECK(kind_for(volume("image.nii", {30, 20, 40}, oblique)) == ErrorKind::invalid_file);
    io::Affine other = oblique;
    other[0][3] += 1e-2, other[1][1] += 1e-4;  // corners are 0.0104 mm apart; the limit is 0.0192 mm
    CHECK_FALSE(kind_for(volume("image.nii", {20, 30, 40}, other)));
    other[0][3] += 1;
    CHECK(kind_for(volume("image.nii", {20, 30, 40}, other)) == ErrorKind::invalid_file);
    other = oblique;
    for (auto& row : other) row[0] = -row[0];
    CHECK(kind_for(volume("image.nii", {20, 30, 40}, other)) == ErrorKind::invalid_file);
}

TEST_CASE("spacings must agree if an affine is missing, unless a file has no geometry") {
    using Spacing = std::array<double, 3>;
    const auto spaced = [](const std::string& path, const Spacing& spacing, const Extent& extent) {
        io::VolumeInfo info = volume(path, extent, std::nullopt);
        info.geometry.spacing = spacing;
        return info;
    };
    const auto message = [](const io::VolumeInfo& a, const io::VolumeInfo& b) -> std::string {
        try {
            grid_check(a, b);
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::invalid_file);
            return error.what();
        }
        return "";
    };
    constexpr Extent extent{20, 30, 40};
    const auto fine = spaced("mask.tif", {0.3e-3, 0.3e-3, 1e-3}, extent);
    const std::string wrong = message(fine, spaced("image.tif", {5e-3, 5e-3, 9e-3}, extent));
    for (const char* part : {"mask.tif", "image.tif", "0.0003 x 0.0003 x 0.001 mm", "0.005 x 0.005 x 0.009 mm", "spacing"})
        CHECK(wrong.find(part) != std::string::npos);
    CHECK(message(fine, fine).empty());
    CHECK(message(fine, volume("image.nii", extent, std::nullopt)).empty());
    CHECK(message(volume("image.nii", extent, std::nullopt), fine).empty());

    constexpr Spacing base{2, 3, 4};
    const auto labels = spaced("labels.tif", base, extent);
    const std::array<double, 3> last{19, 29, 39};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Spacing other = base;
        other[axis] += 0.009 * base[0] / last[axis];
        CHECK(message(labels, spaced("image.tif", other, extent)).empty());
        CHECK(message(spaced("image.tif", other, extent), labels).empty());
        other[axis] = base[axis] + 0.011 * base[0] / last[axis];
        CHECK_FALSE(message(labels, spaced("image.tif", other, extent)).empty());
        CHECK_FALSE(message(spaced("image.tif", other, extent), labels).empty());
        other[axis] = std::numeric_limits<double>::quiet_NaN();  // unknown
        CHECK(message(labels, spaced("image.tif", other, extent)).empty());
    }
    // The spacing along an axis with one voxel is not compared.
    CHECK(message(spaced("a.tif", {2, 3, 1}, {20, 30, 1}), spaced("b.nii", {2, 3, 5}, {20, 30, 1})).empty());
    CHECK_FALSE(message(spaced("a.tif", {2, 3, 1}, {20, 30, 1}), spaced("b.nii", {2, 4, 1}, {20, 30, 1})).empty());

    // Where only one file has an affine, the lengths of the affine's columns are compared with the other file's spacing.
    // The spacing stored beside an affine is ignored.
    io::VolumeInfo turned = volume("turned.nii", extent, io::Affine{{{0, -3, 0, 10}, {2, 0, 0, 20}, {0, 0, 4, 30}}});
    turned.geometry.spacing = {7, 7, 7};
    CHECK(message(turned, labels).empty());
    CHECK(message(labels, turned).empty());
    turned.geometry.affine = io::Affine{{{0, -2, 0, 10}, {3, 0, 0, 20}, {0, 0, 4, 30}}};
    CHECK(message(labels, turned).find("3 x 2 x 4 mm") != std::string::npos);
    CHECK_FALSE(message(turned, labels).empty());
    // A singular affine counts as absent.
    turned.geometry.affine = io::Affine{};
    turned.geometry.spacing = base;
    CHECK(message(turned, labels).empty());
    turned.geometry.spacing = {2, 3, 5};
    CHECK_FALSE(message(turned, labels).empty());
    turned.geometry.spacing.reset();
    CHECK(message(turned, labels).empty());
}
