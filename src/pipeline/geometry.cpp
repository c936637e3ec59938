#include "src/pipeline/geometry.h"

#include "io/orientation.h"
#include "src/messages/program_error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace voxcc {
namespace {

std::string text_of(double value) {
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
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

std::optional<World> world_of(const io::VolumeInfo& info) {
    const auto spacing = info.geometry.spacing.value_or(std::array{1.0, 1.0, 1.0});
    io::Affine affine{};
    for (std::size_t i = 0; i < 3; ++i) affine[i][i] = spacing[i];
    if (info.geometry.affine) affine = *info.geometry.affine;
    if (!io::is_invertible(affine)) return std::nullopt;
    return World{affine};
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
