// Conversion between the axes of a file (LPS or RAS) and the Affine of io.h (RAS+), and between units of length.
#pragma once
#include "io/io.h"

namespace voxcc::io {

using Vector3 = std::array<double, 3>;

enum class Anatomical { lps, ras };

/// Steps along i, j, k as world vectors, and the position of voxel (0, 0, 0).
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

/// The dot product.
double dot(const Vector3& a, const Vector3& b);

/// @return lengths of the three steps
Vector3 spacing_of(const Affine& affine);

/// @return the spacing that the file states, else the lengths of the steps of the affine; empty without a size
std::optional<Vector3> spacing_of(const Geometry& geometry);

/// The steps with six digits, for messages.
// {2.875, 3, 2.875}  ->  "2.875 x 3 x 2.875"
std::string text_of_steps(const Vector3& steps);

/// @return whether the steps agree within 1e-4 of the longest component of a step, and the positions also within 1e-4 of their size
bool is_same_place(const Affine& a, const Affine& b);

/// The geometry without an affine that is singular or not finite, and without a spacing that is not positive and finite. Other programs
/// refuse them.
Geometry usable(Geometry geometry);

/// Converts all lengths. `geometry.unit` must be known, unless the geometry has no size.
Geometry in_unit(Geometry geometry, LengthUnit unit);

/// Replaces the size of the voxels and keeps the directions of the axes. Removes an affine that is singular or not finite. If the unit of
/// the affine is unknown, its origin becomes 0.
Geometry with_size(Geometry geometry, const VoxelSize& size);

/// The geometry without a size if all steps are 1 in an unknown unit: formats demand such steps for volumes without a known size.
Geometry without_default_size(Geometry geometry);

}  // namespace voxcc::io
