#include "io/formats/mrc/mrc_header.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace voxcc::io {
namespace {

constexpr double right_angle = 90;

double cosine(double degrees) { return degrees == right_angle ? 0 : std::cos(degrees * std::numbers::pi / 180); }

/// The directions of the axes of a cell: x is along the first axis, and the second axis lies in the plane of x and y, as in CCP4.
/// @return empty if no cell has these angles
// {90, 90, 120} -> (1, 0, 0), (-0.5, 0.866, 0), (0, 0, 1)
std::optional<std::array<Vector3, 3>> directions_of(const Vector3& angles) {
    std::array<Vector3, 3> directions{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (angles == Vector3{0, 0, 0} || angles == Vector3{right_angle, right_angle, right_angle}) return directions;
    const double alpha = cosine(angles[0]), beta = cosine(angles[1]), gamma = cosine(angles[2]);
    const double sine = std::sqrt(1 - gamma * gamma), y = (alpha - beta * gamma) / sine, z_squared = 1 - beta * beta - y * y;
    constexpr double flat = 1e-6;
    const auto is_angle = [](double degrees) { return degrees > 0 && degrees < 180; };
    if (!std::ranges::all_of(angles, is_angle) || !(z_squared > flat)) return std::nullopt;
    directions[1] = {gamma, sine, 0};
    directions[2] = {beta, y, std::sqrt(z_squared)};
    return directions;
}

/// The length of a step along x, y or z; empty if the file does not state it. An image has no step along its normal.
std::optional<double> step_of(const MrcFields& fields, std::size_t axis) {
    const double length = fields.cell[axis], intervals = fields.intervals[axis];
    if (std::isfinite(length) && length > 0 && intervals > 0) return length / intervals;
    const bool is_normal = fields.extents[2] == 1 && std::size_t(fields.axes[2] - 1) == axis;
    return is_normal ? std::optional(1.0) : std::nullopt;
}

bool states_nothing(const Vector3& numbers) { return numbers == Vector3{0, 0, 0}; }

/// The position of the first voxel: ORIGIN, else the start indices. Files of old versions of IMOD have ORIGIN with the other sign.
Vector3 position_of(const MrcFields& fields, const std::array<Vector3, 3>& columns) {
    constexpr std::int32_t imod_origin_of_mrc = 4;
    Vector3 position = fields.origin;
    if (states_nothing(position)) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t row = 0; row < 3; ++row) position[row] += fields.starts[axis] * columns[axis][row];
        return position;
    }
    const bool is_inverted = fields.imod_flags && !(*fields.imod_flags & imod_origin_of_mrc) && fields.version == 0;
    for (double& number : position) number = is_inverted ? -number : number;
    return position;
}

}  // namespace

Geometry mrc_geometry(const MrcFields& fields) {
    Geometry geometry{.unit = LengthUnit::angstrom, .source = "the header"};
    const bool is_stack = fields.space_group == 0 && fields.intervals[2] == 1 && fields.extents[2] > 1;
    if (is_stack) geometry.notes.emplace_back("is a stack of images (ISPG 0, MZ 1), which is read as one volume; images have no distance");
    const auto directions = directions_of(fields.angles);
    Steps steps{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto cell_axis = std::size_t(fields.axes[axis] - 1);
        const auto step = step_of(fields, cell_axis);
        if (!step || !directions) {
            if (states_nothing(fields.cell)) return {};
            return {.notes = {"its cell is not possible, so that its voxels have no size"}};
        }
        for (std::size_t row = 0; row < 3; ++row) steps.columns[axis][row] = *step * (*directions)[cell_axis][row];
    }
    steps.origin = position_of(fields, steps.columns);
    const Affine affine = affine_from(steps, Anatomical::ras);
    geometry.spacing = spacing_of(affine);
    if (is_stack) (*geometry.spacing)[2] = std::numeric_limits<double>::quiet_NaN();
    else geometry.affine = affine;
    return geometry;
}

}  // namespace voxcc::io
