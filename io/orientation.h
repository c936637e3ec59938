// Between the axes of a file (LPS or RAS, two or three of them) and the Affine of io.h, which is RAS+ in mm.
#pragma once
#include "io/io.h"

namespace voxcc::io {

using Vector3 = std::array<double, 3>;

enum class Anatomical { lps, ras };

/// World positions of the steps along i, j, k and of voxel (0, 0, 0), in mm.
struct Steps {
    std::array<Vector3, 3> columns;
    Vector3 origin;
};

Affine affine_from(const Steps& steps, Anatomical axes);
Steps steps_of(const Affine& affine, Anatomical axes);

/// The third step of a plane: a unit normal, or (0, 0, 1) where the two steps span no plane.
Vector3 plane_normal(const Vector3& i, const Vector3& j);

double length(const Vector3& v);

/// Lengths of the three steps, in mm.
Vector3 spacing_of(const Affine& affine);

/// @param spacing mm, of the user; replaces the lengths of the steps and keeps their directions.
void replace_spacing(Geometry& geometry, const Vector3& spacing);

}  // namespace voxcc::io
