#include "src/pipeline/same_grid.h"

#include "io/orientation.h"
#include "src/errors/program_error.h"
#include "src/pipeline/chosen_volume.h"
#include "src/pipeline/geometry.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

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

std::string text_of(const Spacing& spacing, const io::VolumeInfo& info) { return io::text_of_steps(spacing) + " " + stated_unit(info); }

bool has_complete_size(const io::VolumeInfo& info) { return io::usable(info.geometry).has_size(); }

// A singular affine is not replaced: it states that something is wrong.
bool lacks_size(const io::VolumeInfo& info) { return !info.geometry.affine && !has_complete_size(info); }

const char* name_of(io::ArrayOrder order) { return order == io::ArrayOrder::c ? "C order" : "Fortran order"; }

// The extent along the axes of the array, as NumPy prints its shape. Empty for other files.
std::vector<std::int64_t> array_shape(const io::VolumeInfo& info) {
    const io::ArrayAxes* const array = io::array_of(info.details);
    if (!array) return {};
    const std::array extents{info.extent.nx, info.extent.ny, info.extent.nz};
    std::vector<std::int64_t> shape(extents.begin(), extents.begin() + array->count);
    if (array->order == io::ArrayOrder::c) std::ranges::reverse(shape);
    return shape;
}

std::array<double, 3> position(const io::Affine& affine, const std::array<double, 3>& voxel) {
    std::array<double, 3> at{};
    for (std::size_t row = 0; row < 3; ++row)
        at[row] = affine[row][0] * voxel[0] + affine[row][1] * voxel[1] + affine[row][2] * voxel[2] + affine[row][3];
    return at;
}

// The largest distance between equal corner voxels of two grids. An axis of one voxel has no length.
double distance_of_corners(const io::Affine& a, const io::Affine& b, const Extent& extent) {
    const std::array<double, 3> last{double(extent.nx - 1), double(extent.ny - 1), double(extent.nz - 1)};
    double largest = 0;
    for (unsigned corner = 0; corner < 8; ++corner) {
        std::array<double, 3> voxel{};
        for (std::size_t axis = 0; axis < 3; ++axis) voxel[axis] = corner >> axis & 1 ? last[axis] : 0;
        const auto at = position(a, voxel), there = position(b, voxel);
        largest = std::max(largest, std::hypot(at[0] - there[0], at[1] - there[1], at[2] - there[2]));
    }
    return largest;
}

// The smallest edge of a voxel along an axis of several voxels.
double smallest_edge(const Spacing& spacing, const Extent& extent) {
    const std::array<std::int64_t, 3> voxels{extent.nx, extent.ny, extent.nz};
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (voxels[axis] > 1) smallest = std::min(smallest, spacing[axis]);
    return std::isfinite(smallest) ? smallest : spacing[0];
}

io::Affine diagonal(const Spacing& spacing) {
    io::Affine affine{};
    for (std::size_t axis = 0; axis < 3; ++axis) affine[axis][axis] = spacing[axis];
    return affine;
}

// The tolerance in the unit of the volume; nothing if the tolerance has a unit and the volume has none.
std::optional<double> limit_of(const GridTolerance& tolerance, const io::VolumeInfo& volume) {
    if (!tolerance.unit) return tolerance.amount * smallest_edge(*spacing_of(volume), volume.extent);
    if (!volume.geometry.unit) return std::nullopt;
    return io::converted(tolerance.amount, *tolerance.unit, *volume.geometry.unit);
}

}  // namespace

void require_same_array_order(const io::VolumeInfo& volume, const io::VolumeInfo& other) {
    const auto shape = array_shape(volume);
    if (shape.size() < 2 || shape != array_shape(other)) return;
    const io::ArrayOrder order = io::array_of(volume.details)->order, other_order = io::array_of(other.details)->order;
    if (order == other_order) return;
    throw ProgramError(ErrorKind::invalid_file, other.path,
                       std::string("has ") + name_of(other_order) + ", but " + volume.path + " has the same shape and " + name_of(order),
                       "save both with numpy.save(name, numpy.ascontiguousarray(array))");
}

std::string difference_of_grids(const io::VolumeInfo& volume, const io::VolumeInfo& other_volume, const GridTolerance& tolerance) {
    io::VolumeInfo other = other_volume;
    if (volume.geometry.unit.has_value() != other.geometry.unit.has_value()) return "";
    if (volume.geometry.unit) other.geometry = io::in_unit(other.geometry, *volume.geometry.unit);
    const auto spacing = spacing_of(volume), spacing_there = spacing_of(other);
    if (!spacing || !spacing_there) return "";
    const auto affine = usable_affine(volume), affine_there = usable_affine(other);
    const bool by_affine = affine && affine_there;
    const double distance =
        distance_of_corners(by_affine ? *affine : diagonal(*spacing), by_affine ? *affine_there : diagonal(*spacing_there), volume.extent);
    const auto limit = limit_of(tolerance, volume);
    if (!limit || !std::isfinite(distance) || distance <= *limit) return "";
    const std::string there = by_affine ? "the affine " + text_of(*affine_there) : "the spacing " + text_of(*spacing_there, other);
    return "has " + there + ", but " + volume.path + " has " + (by_affine ? text_of(*affine) : text_of(*spacing, volume)) +
           ", so corners are " + text_of(distance) + " " + stated_unit(volume) + " apart";
}

std::string require_same_grid(const io::VolumeInfo& volume, const io::VolumeInfo& other, const GridTolerance& tolerance) {
    require_same_array_order(volume, other);
    const std::string remedy = "resample it onto the same grid";
    if (volume.extent != other.extent)
        throw ProgramError(ErrorKind::invalid_file, other.path,
                           "has the extent " + text_of(other.extent) + ", but " + volume.path + " has " + text_of(volume.extent), remedy);
    const std::string difference = difference_of_grids(volume, other, tolerance);
    if (difference.empty()) return "";
    if (tolerance.compare == GridTolerance::Compare::nothing)
        return other.path + ": " + difference + "; the grid of " + volume.path + " is used";
    throw ProgramError(ErrorKind::invalid_file, other.path, difference, remedy + ", or allow the distance with --geometry-tolerance");
}

std::vector<std::string> settle_grid(io::VolumeReader& volume, std::span<const io::VolumeInfo* const> companions,
                                     const GridTolerance& tolerance) {
    std::vector<std::string> notes;
    const auto source = std::ranges::find_if(companions, [](const io::VolumeInfo* companion) { return has_complete_size(*companion); });
    if (lacks_size(volume.info()) && source != companions.end()) {
        require_same_grid(volume.info(), **source, tolerance);
        volume.place((*source)->geometry);
        const std::string size = io::text_of_steps(spacing_of(**source).value()) + " " + stated_unit(**source);
        notes.push_back(volume.info().path + ": does not state the size of its voxels; the size of " + (*source)->path +
                        " is used: " + size);
    }
    for (const io::VolumeInfo* companion : companions)
        if (std::string note = require_same_grid(volume.info(), *companion, tolerance);
            !note.empty() && std::ranges::find(notes, note) == notes.end())
            notes.push_back(std::move(note));
    return notes;
}

io::VolumeInfo describe_with_grid(const std::string& input, const InputOptions& options, const std::vector<std::string>& companions) {
    io::VolumeInfo info = describe_input(input, options);
    if (!lacks_size(info)) return info;
    for (const std::string& path : companions) {
        try {
            const io::VolumeInfo companion = describe(choose_companion(path, options, choose_volume(input, options)));
            if (companion.extent != info.extent || !has_complete_size(companion)) continue;
            info.geometry = companion.geometry;
            return info;
        } catch (const Error&) {
            continue;  // the error is reported when the companion is opened
        }
    }
    return info;
}

}  // namespace voxcc
