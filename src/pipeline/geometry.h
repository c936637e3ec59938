// Where the voxels of a volume lie, and whether two volumes lie on the same grid.
#pragma once
#include <voxcc/statistics.h>
#include "io/io.h"

#include <optional>

namespace voxcc {

/// The file's affine, else index times spacing (1 mm without one). Nothing if that is singular or not finite: then positions in mm do not
/// exist, and the caller warns.
std::optional<World> world_of(const io::VolumeInfo& info);

/// Compares the extents, and then the geometry that both files have:
/// both have an affine: its entries may differ by 1e-4 of the voxel's edge, the positions by 1e-4 of their size;
/// otherwise, both have an affine or a spacing: the spacings, which are the column lengths of an affine, may differ by 1e-4 of their size
/// along each axis of more than one voxel;
/// one file has no geometry: nothing more is compared.
/// An affine that is singular or not finite counts as absent.
/// @throw Error invalid_file with both files and both values
void require_same_grid(const io::VolumeInfo& volume, const io::VolumeInfo& other);

/// "512 x 512 x 64"
std::string text_of(const Extent& extent);

}  // namespace voxcc
