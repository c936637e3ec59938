// Where the voxels of a volume lie, and whether two volumes lie on the same grid.
#pragma once
#include "io/io.h"
#include "kernels3d/statistics.h"

#include <optional>

namespace voxcc {

/// The file's affine, else index times spacing (1 mm without one). Nothing if that is singular or not finite: then positions in mm do not
/// exist, and the caller warns.
std::optional<World> world_of(const io::VolumeInfo& info);

/// @throw Error bad_data, naming both files, unless the extents are equal and so are the affines where both files have one (entries may
/// differ by 1e-4 of a voxel's edge, positions by 1e-4 of their size).
void require_same_grid(const io::VolumeInfo& volume, const io::VolumeInfo& other);

/// "512 x 512 x 64"
std::string text_of(const Extent& extent);

}  // namespace voxcc
