// Positions of voxels in a unit of length.
#pragma once
#include <voxcc/measure.h>
#include "io/io.h"
#include "src/options/units.h"

#include <optional>

namespace voxcc {

/// Checks that the lengths of a volume can be stated in a unit. All volumes can have the units voxel and unit.
/// @throw ProgramError invalid_file if the volume has no size of voxels, or a size in an unknown unit
void require_lengths(const io::VolumeInfo& info, std::string_view unit);

/// The map from voxel indices to positions in a unit: the affine of the file, else index times spacing. In voxels, it is the identity. In
/// the unit `unit`, lengths are as in the file. A 2D image without an affine has the step 1 across its slice in every unit.
/// Nothing if the map is singular or not finite. The table then has no positions, and the caller must print no_world_warning().
/// @throw ProgramError as require_lengths()
std::optional<World> world_of(const io::VolumeInfo& info, Units units);
std::optional<World> world_in(const io::VolumeInfo& info, io::LengthUnit unit);
std::string no_world_warning(const io::VolumeInfo& info, Units units);

/// The map in the unit of the file: in voxels without a size of voxels. Nothing as world_of().
std::optional<World> stated_world(const io::VolumeInfo& info);

/// The affine of the file. Empty if the file has none, or if it is singular or not finite.
std::optional<io::Affine> usable_affine(const io::VolumeInfo& info);

using Spacing = std::array<double, 3>;  // per step along i, j, k

/// The lengths of the steps of the affine if it is usable, else the spacing of the file. Empty if the file has neither.
std::optional<Spacing> spacing_of(const io::VolumeInfo& info);

/// The unit in which the lengths of a file are stated, for messages and names.
// um -> "um"; unknown -> "unit"; no size of voxels -> "voxel"
std::string stated_unit(const io::VolumeInfo& info);

/// "512 x 512 x 64"
std::string text_of(const Extent& extent);

}  // namespace voxcc
