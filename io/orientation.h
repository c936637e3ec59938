// Conversion between the axes of a file (LPS or RAS) and the Affine of io.h (RAS+, mm).
#pragma once
#include "io/io.h"

namespace voxcc::io {

using Vector3 = std::array<double, 3>;

enum class Anatomical { lps, ras };

/// Steps along i, j, k as world vectors, and the position of voxel (0, 0, 0), in mm.
struct Steps {
    std::array<Vector3, 3> columns;
    Vector3 origin;
};

/// Converts steps to RAS+. @param axes axes of `steps`
Affine affine_from(const Steps& steps, Anatomical axes);
/// Converts an RAS+ affine to steps. @param axes axes of the result
Steps steps_of(const Affine& affine, Anatomical axes);

/// @return the unit normal of the plane of `i` and `j`; (0, 0, 1) if they are parallel or zero
Vector3 plane_normal(const Vector3& i, const Vector3& j);

double length(const Vector3& v);

/// @return lengths of the three steps, in mm
Vector3 spacing_of(const Affine& affine);

/// @return whether the steps agree within 1e-4 of the longest component of a step, and the positions also within 1e-4 of their size
bool is_same_place(const Affine& a, const Affine& b);

/// Converts a geometry whose lengths are in `unit` to mm.
Geometry in_millimetres(Geometry geometry, LengthUnit unit);

/// Replaces the lengths of the steps and keeps their directions. Removes an affine that is singular or not finite.
/// @param spacing mm per step along i, j, k
void replace_spacing(Geometry& geometry, const Vector3& spacing);

}  // namespace voxcc::io
