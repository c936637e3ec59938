// Positions of voxels in a unit of length, and the comparison of the grids of two volumes.
#pragma once
#include <voxcc/statistics.h>
#include "io/io.h"
#include "src/cli/units.h"

#include <optional>

namespace voxcc {

/// The map from voxel indices to positions: the affine of the file, else index times spacing, else index times 1 mm. In voxels, it is the
/// identity. In um and nm, each number of the map in mm is multiplied by 1e3 or 1e6 and rounded once. A number in mm that has at most 15
/// decimal digits is taken as this decimal number, so that a spacing of 0.3 um is 0.3 again. A 2D image without an affine has the step 1
/// across its slice in every unit.
/// Nothing if the map is singular or not finite. The table then has no positions, and the caller must print no_world_warning().
std::optional<World> world_of(const io::VolumeInfo& info, Units units = Units::mm);
std::string no_world_warning(Units units);

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
