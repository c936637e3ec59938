// Properties of a component from its counts. Every value is computed in one way, so that equal counts give equal bytes.
#include <voxcc/shape.h>

#include "kernels3d/measure/eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace voxcc {
namespace {

using Vector = std::array<double, 3>;

constexpr double pi = std::numbers::pi;

double length(const Vector& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }

/// Values that differ by at most this part of the largest one are treated as equal, because rounding differs between layouts of a file.
constexpr double near = 1e-6, near_eigenvalues = 1e-9;

/// The first of the values whose size is the largest, or nearly.
std::size_t largest(const Vector& v) {
    const double most = std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
    std::size_t first = 0;
    while (std::abs(v[first]) < most * (1 - near)) ++first;
    return first;
}

/// Gives a vector the length 1 and the sign with which its largest value is positive.
Vector with_sign(const Vector& v) {
    const double factor = (v[largest(v)] < 0 ? -1 : 1) / length(v);
    Vector unit{};
    for (std::size_t r = 0; r < 3; ++r) unit[r] = v[r] * factor + 0.0;  // + 0.0: no -0
    return unit;
}

/// Replaces the vectors [first, end), whose directions are arbitrary in the space that they span, by the projections of the axes x, y, z
/// that lie nearest to that space.
/// @param normal of a plane: the last of three vectors. Null in space
void choose_directions(Matrix3& vectors, std::size_t first, std::size_t end, const Vector* normal) {
    Matrix3 space{};  // projection to the part of the space that is left
    for (std::size_t n = first; n < end; ++n)
        for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t c = 0; c < 3; ++c) space[r][c] += vectors[n][r] * vectors[n][c];
    if (normal && end == 3) {
        vectors[--end] = with_sign(*normal);
        for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t c = 0; c < 3; ++c) space[r][c] -= (*normal)[r] * (*normal)[c];
    }
    for (std::size_t n = first; n < end; ++n) {
        vectors[n] = with_sign(space[largest({space[0][0], space[1][1], space[2][2]})]);
        for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t c = 0; c < 3; ++c) space[r][c] -= vectors[n][r] * vectors[n][c];
    }
}

/// The principal axes: see docs/manual/measures.md.
Matrix3 principal_axes(const Properties& p, const Vector* normal) {
    Eigen3 e = eigen(symmetric_matrix(p.covariance_mm2));
    for (std::size_t n = 0; n < 3; ++n)
        if (p.axes_mm[n] == 0) e.values[n] = 0;  // rounding may leave more
    for (std::size_t first = 0, end = 1; first < 3; first = end, end = first + 1) {
        while (end < 3 && e.values[first] - e.values[end] <= near_eigenvalues * e.values[0]) ++end;
        if (end - first > 1) choose_directions(e.vectors, first, end, normal);
        else e.vectors[first] = with_sign(e.vectors[first]);
    }
    return e.vectors;
}

}  // namespace

ShapeScale::ShapeScale(const std::optional<World>& grid, Space dimensions) : space(dimensions), has_world(grid.has_value()) {
    if (!grid) return;
    std::array<Vector, 3> step{};
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) step[c][r] = grid->affine[r][c];
    const bool plane = space == Space::plane;
    const Vector xy = cross(step[0], step[1]);
    if (plane) faces = {length(step[1]), length(step[0]), 0};
    else faces = {length(cross(step[1], step[2])), length(cross(step[0], step[2])), length(xy)};
    if (plane) normal = {xy[0] / length(xy), xy[1] / length(xy), xy[2] / length(xy)};
    voxel = plane ? length(xy) : std::abs(dot(step[2], xy));
    // The mean projected area of a convex body is a quarter of its surface. In a plane, the mean width is the perimeter / pi. A run of
    // voxels along d is hit by parallel lines with a cross-section of voxel / |d|.
    const std::array<double, 13> weights = direction_weights(*grid, space);
    for (std::size_t d = 0; d < 13; ++d) {
        const auto& [i, j, k] = shape_directions[d];
        Vector v{};
        for (std::size_t r = 0; r < 3; ++r) v[r] = i * step[0][r] + j * step[1][r] + k * step[2][r];
        per_run[d] = (plane ? pi : 4.0) * weights[d] * voxel / length(v);
    }
}

ShapeProperties describe_shape(const Properties& properties, const ShapeCounts& counts, std::optional<double> feret_mm,
                               const ShapeScale& scale) {
    ShapeProperties p;
    const auto voxels = double(properties.voxels);
    const auto& box = properties.box;
    const double in_box = double(box[1] - box[0] + 1) * double(box[3] - box[2] + 1) * double(box[5] - box[4] + 1);
    p.euler_number = counts.euler;
    p.extent = properties.wraps.any() ? std::numeric_limits<double>::quiet_NaN() : voxels / in_box;
    if (!scale.has_world) return p;
    double surface = 0, faces = 0;
    for (std::size_t d = 0; d < 13; ++d) surface += scale.per_run[d] * double(properties.voxels - counts.pairs[d]);
    for (std::size_t d = 0; d < 3; ++d) faces += 2 * scale.faces[d] * double(properties.voxels - counts.pairs[d]);
    p.surface_mm2 = surface, p.surface_faces_mm2 = faces;
    const double size = voxels * scale.voxel;
    const bool plane = scale.space == Space::plane;
    p.equivalent_diameter_mm = plane ? std::sqrt(4 * size / pi) : std::cbrt(6 * size / pi);
    const double diameter = *p.equivalent_diameter_mm;
    if (surface > 0) p.sphericity = (plane ? pi * diameter : pi * diameter * diameter) / surface;
    if (properties.wraps.any()) return p;
    p.feret_mm = feret_mm;
    p.axes = principal_axes(properties, plane ? &scale.normal : nullptr);
    p.axis_lengths_mm = {4 * properties.axes_mm[0], 4 * properties.axes_mm[1], 4 * properties.axes_mm[2]};
    return p;
}

}  // namespace voxcc
