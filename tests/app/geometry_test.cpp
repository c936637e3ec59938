#include "src/geometry.h"

#include <doctest/doctest.h>
#include <limits>

using namespace voxcc;

namespace {

io::VolumeInfo volume(const std::string& path, const Extent& extent, const std::optional<io::Affine>& affine) {
    io::VolumeInfo info;
    info.path = path;
    info.extent = extent;
    info.geometry.affine = affine;
    return info;
}

constexpr io::Affine oblique{{{1.9, 0.3, 0, -90}, {-0.3, 1.9, 0, 126}, {0, 0, 2.5, 72}}};

}  // namespace

TEST_CASE("the world is the affine, else the spacing, else voxels") {
    io::VolumeInfo info = volume("a", {2, 2, 2}, std::nullopt);
    CHECK(world_of(info)->affine == io::Affine{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}});
    info.geometry.spacing = {2, 3, 4};
    CHECK(world_of(info)->affine == io::Affine{{{2, 0, 0, 0}, {0, 3, 0, 0}, {0, 0, 4, 0}}});
    info.geometry.affine = oblique;
    CHECK(world_of(info)->affine == oblique);
}

TEST_CASE("there is no world where the affine or the spacing is singular or not finite") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    for (const auto& [row, column, value] : {std::tuple{0, 0, nan}, {1, 3, infinity}, {2, 2, 0.0}}) {
        io::Affine bad = oblique;
        bad[std::size_t(row)][std::size_t(column)] = value;
        CHECK_FALSE(world_of(volume("a", {2, 2, 2}, bad)));
    }
    io::Affine flat = oblique;
    flat[2] = flat[0];
    CHECK_FALSE(world_of(volume("a", {2, 2, 2}, flat)));
    io::VolumeInfo info = volume("a", {2, 2, 2}, std::nullopt);
    for (const double bad : {0.0, nan, infinity}) {
        info.geometry.spacing = {1, bad, 1};
        CHECK_FALSE(world_of(info));
    }
    // Thin is not singular.
    CHECK(world_of(volume("a", {2, 2, 2}, io::Affine{{{1e-4, 0, 0, 0}, {0, 1e-4, 0, 0}, {0, 0, 1e3, 0}}})));
}

TEST_CASE("grids are the same up to rounding, or an error that shows both") {
    const io::VolumeInfo labels = volume("labels.nii", {20, 30, 40}, oblique);
    const auto code_for = [&](const io::VolumeInfo& other) {
        try {
            require_same_grid(labels, other);
        } catch (const Error& error) {
            const std::string what = error.what();
            CHECK(what.find("labels.nii") != std::string::npos);
            CHECK(what.find("image.nii") != std::string::npos);
            return error.code();
        }
        return ExitCode::ok;
    };
    CHECK(code_for(volume("image.nii", {20, 30, 40}, oblique)) == ExitCode::ok);
    CHECK(code_for(volume("image.nii", {20, 30, 40}, std::nullopt)) == ExitCode::ok);
    CHECK(code_for(volume("image.nii", {20, 30, 41}, oblique)) == ExitCode::bad_data);
    CHECK(code_for(volume("image.nii", {30, 20, 40}, oblique)) == ExitCode::bad_data);
    io::Affine other = oblique;
    other[0][3] += 1e-3, other[1][1] += 1e-5;
    CHECK(code_for(volume("image.nii", {20, 30, 40}, other)) == ExitCode::ok);
    other[0][3] += 1;
    CHECK(code_for(volume("image.nii", {20, 30, 40}, other)) == ExitCode::bad_data);
    other = oblique;
    for (auto& row : other) row[0] = -row[0];
    CHECK(code_for(volume("image.nii", {20, 30, 40}, other)) == ExitCode::bad_data);
}
