// The smaller levels of a Zarr output. Every voxel of a level is a voxel of the level before it.
//
//   4 4 0 0 | 7            mode:  4 7        nearest:  4 7
//   0 4 9 9 | 0                   0 ..
//   mode: the most frequent value of a block; of several, a value that is not 0, then the smallest
#pragma once
#include "io/formats/zarr/output_metadata.h"

#include <span>

namespace voxcc::io::zarr {

/// The voxels [begin, end) of a level that become voxel `index` of the next level, along one axis.
struct Share {
    std::int64_t begin = 0, end = 0;
};
// 5 voxels become 3  ->  [0, 2), [2, 4), [4, 5); 10 become 4  ->  [0, 2), [2, 5), [5, 7), [7, 10)
Share share_of(std::int64_t index, std::int64_t extent, std::int64_t next);

/// Voxels in memory: slices from `first_slice` on.
struct Slices {
    Extent extent;  // of the level
    std::int64_t first_slice = 0, first_row = 0;
    std::span<const std::byte> voxels;  // rows of nx voxels, from row first_row of the first slice on, `rows` per slice
    std::int64_t rows = 0;
};

/// Computes one row of the next level.
/// @param from must contain the shares of the row, and be aligned for the type @param y, z of the row in the next level
/// @param to receives next.nx voxels; aligned for the type
void reduce_row(const Slices& from, ScalarType type, const Extent& next, std::int64_t y, std::int64_t z, Reduction reduction,
                std::byte* to);

}  // namespace voxcc::io::zarr
