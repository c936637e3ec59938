#include "io/orientation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace voxcc::io {
namespace {

// Converts LPS to RAS and RAS to LPS: x and y change sign.
constexpr double sign(Anatomical axes, int row) { return axes == Anatomical::lps && row < 2 ? -1 : 1; }

Vector3 cross(const Vector3& a, const Vector3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

Affine affine_from(const Steps& steps, Anatomical axes) {
    Affine affine{};
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) affine[row][column] = sign(axes, row) * steps.columns[column][row] + 0.0;
        affine[row][3] = sign(axes, row) * steps.origin[row] + 0.0;  // avoids negative zeros
    }
    return affine;
}

Steps steps_of(const Affine& affine, Anatomical axes) {
    Steps steps{};
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) steps.columns[column][row] = sign(axes, row) * affine[row][column] + 0.0;
        steps.origin[row] = sign(axes, row) * affine[row][3] + 0.0;
    }
    return steps;
}

Vector3 plane_normal(const Vector3& i, const Vector3& j) {
    const Vector3 normal = cross(i, j);
    const double size = length(normal);
    if (!(size > 0) || !std::isfinite(size)) return {0, 0, 1};
    return {normal[0] / size, normal[1] / size, normal[2] / size};
}

double length(const Vector3& v) { return std::hypot(v[0], v[1], v[2]); }

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector3 spacing_of(const Affine& affine) {
    const Steps steps = steps_of(affine, Anatomical::ras);
    return {length(steps.columns[0]), length(steps.columns[1]), length(steps.columns[2])};
}

std::optional<Vector3> spacing_of(const Geometry& geometry) {
    if (geometry.spacing || !geometry.affine) return geometry.spacing;
    return spacing_of(*geometry.affine);
}

std::string text_of_steps(const Vector3& steps) {
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), "%.6g x %.6g x %.6g", steps[0], steps[1], steps[2]);
    return text.data();
}

bool is_invertible(const Affine& affine) {
    for (const auto& row : affine)
        for (const double value : row)
            if (!std::isfinite(value)) return false;
    const Steps steps = steps_of(affine, Anatomical::ras);
    const auto& [i, j, k] = steps.columns;
    const Vector3 normal = cross(i, j);
    const double volume = normal[0] * k[0] + normal[1] * k[1] + normal[2] * k[2];
    return std::abs(volume) > 1e-9 * length(i) * length(j) * length(k);
}

Geometry usable(Geometry geometry) {
    const auto is_usable = [](double step) { return step > 0 && std::isfinite(step); };
    if (geometry.affine && !is_invertible(*geometry.affine)) geometry.affine.reset();
    if (geometry.spacing && !std::ranges::all_of(*geometry.spacing, is_usable)) geometry.spacing.reset();
    return geometry;
}

Geometry in_unit(Geometry geometry, LengthUnit unit) {
    if (!geometry.has_size()) return geometry;
    if (!geometry.unit) throw Error(ErrorKind::internal, "geometry", "an unknown unit of length");
    if (geometry.affine)
        for (auto& row : *geometry.affine)
            for (double& value : row) value = converted(value, *geometry.unit, unit);
    if (geometry.spacing)
        for (double& step : *geometry.spacing) step = converted(step, *geometry.unit, unit);
    geometry.unit = unit;
    return geometry;
}

Geometry with_size(Geometry geometry, const VoxelSize& size) {
    if (geometry.affine && !is_invertible(*geometry.affine)) geometry.affine.reset();
    if (geometry.affine && !geometry.unit)
        for (auto& row : *geometry.affine) row[3] = 0;
    if (geometry.unit) geometry = in_unit(geometry, size.unit);
    geometry.spacing = size.steps;
    geometry.unit = size.unit;
    geometry.source = "the caller";
    geometry.notes.clear();
    if (!geometry.affine) return geometry;
    const Vector3 old = spacing_of(*geometry.affine);
    for (auto& row : *geometry.affine)
        for (std::size_t column = 0; column < 3; ++column) row[column] *= size.steps[column] / old[column];
    return geometry;
}

Geometry without_default_size(Geometry geometry) {
    if (geometry.unit || geometry.affine || geometry.spacing != Vector3{1, 1, 1}) return geometry;
    return {.notes = std::move(geometry.notes)};
}

bool is_same_place(const Affine& a, const Affine& b) {
    constexpr double tolerance = 1e-4;
    double edge = 0, position = 0;
    for (const Affine& affine : {a, b})
        for (const auto& row : affine) {
            for (std::size_t c = 0; c < 3; ++c) edge = std::max(edge, std::abs(row[c]));
            position = std::max(position, std::abs(row[3]));
        }
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 4; ++c)
            if (std::abs(a[r][c] - b[r][c]) > tolerance * (c < 3 ? edge : std::max(edge, position))) return false;
    return true;
}

}  // namespace voxcc::io
