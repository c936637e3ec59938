// Positions of voxels in mm, and the comparison of the grids of two volumes.
#pragma once
#include <voxcc/statistics.h>
#include "io/io.h"

#include <optional>

namespace voxcc {

/// The map from voxel indices to mm: the affine of the file, else index times spacing, else index times 1 mm. Nothing if the map is
/// singular or not finite. The table then has no positions in mm, and the caller must print no_world_warning.
std::optional<World> world_of(const io::VolumeInfo& info);
inline constexpr const char* no_world_warning =
    "the affine is singular or not finite, so all columns in mm are n/a; with --spacing, positions are index times spacing";

/// The affine of the file. Empty if the file has none, or if it is singular or not finite.
std::optional<io::Affine> usable_affine(const io::VolumeInfo& info);

using Spacing = std::array<double, 3>;  // mm per step along i, j, k

/// The lengths of the steps of the affine if it is usable, else the spacing of the file. Empty if the file has neither.
std::optional<Spacing> spacing_of(const io::VolumeInfo& info);

/// Checks two NumPy files: array[index] must be the same voxel in both if their shapes are equal. Does nothing for other files.
/// @throw Error invalid_file
// shapes (9, 9, 9), C order and Fortran order  ->  Error; (4, 5, 6) in C order and (6, 5, 4) in Fortran order  ->  accepted
void require_same_array_order(const io::VolumeInfo& volume, const io::VolumeInfo& other);

/// Checks that two volumes have the same grid. The extents must be equal. Then the geometry that both files have is compared:
/// - Both have an affine: the 3 x 3 entries may differ by 1e-4 of the largest of them, the translations by 1e-4 of the largest entry or
///   translation.
/// - Otherwise, both have an affine or a spacing: the spacings may differ by 1e-4, relative, along each axis of more than one voxel. The
///   column lengths of an affine are its spacing.
/// - One file has no geometry: nothing more is compared.
/// An affine that is singular or not finite counts as absent. NumPy files must also pass require_same_array_order().
/// @throw Error invalid_file, which states both files and both values
void require_same_grid(const io::VolumeInfo& volume, const io::VolumeInfo& other);

/// "512 x 512 x 64"
std::string text_of(const Extent& extent);

}  // namespace voxcc
