#include "src/pipeline/geometry.h"

#include "io/orientation.h"
#include "src/messages/program_error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace voxcc {
namespace {

std::string text_of(double value) {
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
}

io::Affine scaling_by(const Spacing& spacing) {
    io::Affine affine{};
    for (std::size_t i = 0; i < 3; ++i) affine[i][i] = spacing[i];
    return affine;
}

/// See world_of().
// 0.0003, 3 -> 0.3, where 0.0003 * 1000 is 0.29999999999999999
double times_power_of_ten(double value, int power) {
    constexpr std::size_t exact_digits = 15;
    if (power == 0 || !std::isfinite(value)) return value;
    std::array<char, 40> text{};
    const auto shortest = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
    char* const exponent = std::find(text.data(), shortest.ptr, 'e');
    const auto digits = std::size_t(std::count_if(text.data(), exponent, [](char c) { return c >= '0' && c <= '9'; }));
    if (digits > exact_digits) return value * std::pow(10.0, power);
    int of_value = 0;
    const char* const first = exponent + (exponent[1] == '+' ? 2 : 1);
    std::from_chars(first, shortest.ptr, of_value);
    char* const end = std::to_chars(exponent + 1, text.data() + text.size(), of_value + power).ptr;
    double product = 0;
    std::from_chars(text.data(), end, product);
    return product;
}

std::string text_of(const io::Affine& affine) {
    std::string text;
    for (const auto& row : affine)
        for (const double value : row) text += (text.empty() ? "" : " ") + text_of(value);
    return "[" + text + "]";
}

std::string text_of(const Spacing& s) { return text_of(s[0]) + " x " + text_of(s[1]) + " x " + text_of(s[2]) + " mm"; }

// Axes of one voxel are not compared. The formats of 2D images have no spacing for them.
bool same(const Spacing& a, const Spacing& b, const Extent& extent) {
    const std::array<std::int64_t, 3> voxels{extent.nx, extent.ny, extent.nz};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (voxels[axis] > 1 && !(std::abs(a[axis] - b[axis]) <= 1e-4 * std::max(std::abs(a[axis]), std::abs(b[axis])))) return false;
    return true;
}

// The extent along the axes of the array, as NumPy prints its shape. Empty for other files.
std::vector<std::int64_t> array_shape(const io::VolumeInfo& info) {
    if (!info.array) return {};
    const std::array extents{info.extent.nx, info.extent.ny, info.extent.nz};
    std::vector<std::int64_t> shape(extents.begin(), extents.begin() + info.array->count);
    if (info.array->order == io::ArrayOrder::c) std::ranges::reverse(shape);
    return shape;
}

}  // namespace

void require_same_array_order(const io::VolumeInfo& volume, const io::VolumeInfo& other) {
    const auto shape = array_shape(volume);
    if (shape.size() < 2 || shape != array_shape(other) || volume.array->order == other.array->order) return;
    const auto order_of = [](const io::VolumeInfo& info) { return info.array->order == io::ArrayOrder::c ? "C order" : "Fortran order"; };
    throw ProgramError(ErrorKind::invalid_file, other.path,
                       std::string("has ") + order_of(other) + ", but " + volume.path + " has the same shape and " + order_of(volume),
                       "save both with numpy.save(name, numpy.ascontiguousarray(array))");
}

std::optional<io::Affine> usable_affine(const io::VolumeInfo& info) {
    const auto& affine = info.geometry.affine;
    return affine && io::is_invertible(*affine) ? affine : std::nullopt;
}

std::optional<Spacing> spacing_of(const io::VolumeInfo& info) {
    const auto affine = usable_affine(info);
    if (!affine) return info.geometry.spacing;
    Spacing spacing;
    for (std::size_t c = 0; c < 3; ++c) spacing[c] = std::hypot((*affine)[0][c], (*affine)[1][c], (*affine)[2][c]);
    return spacing;
}

std::string text_of(const Extent& e) { return std::to_string(e.nx) + " x " + std::to_string(e.ny) + " x " + std::to_string(e.nz); }

std::optional<World> world_of(const io::VolumeInfo& info, Units units) {
    if (units == Units::voxel) return World{scaling_by({1, 1, 1})};
    const auto spacing = info.geometry.spacing.value_or(std::array{1.0, 1.0, 1.0});
    io::Affine affine = info.geometry.affine.value_or(scaling_by(spacing));
    const int power = units == Units::mm ? 0 : units == Units::um ? 3 : 6;
    for (auto& row : affine)
        for (double& value : row) value = times_power_of_ten(value, power);
    if (!info.geometry.affine && info.dimensions == 2 && spacing[2] == 1) affine[2][2] = 1;
    if (!io::is_invertible(affine)) return std::nullopt;
    return World{affine};
}

std::string no_world_warning(Units units) {
    return "the affine is singular or not finite, so all columns in " + std::string(name_of(units)) +
           " are n/a; with --spacing, positions are index times spacing";
}

void require_same_grid(const io::VolumeInfo& volume, const io::VolumeInfo& other) {
    const auto fail = [&](const std::string& what, const std::string& is, const std::string& is_there,
                          const std::string& alternative = "") {
        throw ProgramError(ErrorKind::invalid_file, other.path, "has " + what + " " + is_there + ", but " + volume.path + " has " + is,
                           "resample it onto the same grid" + alternative);
    };
    require_same_array_order(volume, other);
    if (volume.extent != other.extent) fail("the extent", text_of(volume.extent), text_of(other.extent));
    const auto affine = usable_affine(volume), affine_there = usable_affine(other);
    if (affine && affine_there) {
        if (!io::is_same_place(*affine, *affine_there)) fail("the affine", text_of(*affine), text_of(*affine_there));
        return;
    }
    const auto spacing = spacing_of(volume), spacing_there = spacing_of(other);
    if (spacing && spacing_there && !same(*spacing, *spacing_there, volume.extent))
        fail("the spacing", text_of(*spacing), text_of(*spacing_there), ", or set the spacing of both files with --spacing");
}

}  // namespace voxcc
