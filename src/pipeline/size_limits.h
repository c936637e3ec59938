// Converts the sizes of --min-size, --max-size and --max-hole to numbers of voxels.
#pragma once
#include "src/options/options.h"
#include "src/pipeline/geometry.h"

namespace voxcc {

/// The size of a voxel: its volume, or its area in a slice.
/// @param slices the axis across the slices; not used for volumes
// steps of 2, 3 and 5 at right angles, plane, Axis::z  ->  6
double voxel_size(const World& world, Space space, Axis slices);

/// The area of a pixel of the slices; nothing for volumes, and without a map to positions.
std::optional<double> pixel_area(const std::optional<World>& world, Space space, Axis slices);

/// How a limit that is not a whole number of voxels is rounded.
enum class Round : std::uint8_t { up, down };

/// A limit in voxels. A limit within 1e-6 of a whole number is that number, in spite of the rounding of a spacing such as 0.1.
/// @throw Error invalid_argument if the limit is an area and the components are volumes, or the reverse, or if the affine is not usable;
/// ProgramError as require_lengths()
std::uint64_t voxels_of(const SizeLimit& limit, const io::VolumeInfo& info, Space space, Axis slices, Round round);

/// Checks the limits of a volume before it is read. @throw Error as voxels_of()
void check_sizes(const LabelOptions& options, const io::VolumeInfo& info);

}  // namespace voxcc
