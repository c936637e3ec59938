// Counts neighbouring voxels and cells in rows of bits: the integers from which surface and Euler number follow.
#pragma once
#include <voxcc/shape.h>
#include "kernels3d/simd/isa.h"

namespace voxcc::block_runs {

/// The row of a stretch of words, and the rows beside it. Words -1 and `count` of each row must be readable.
///
///      z-1:  below_before  below  below_after
///      z  :  before        own    after          y-1, y, y+1
struct ShapeRows {
    const std::uint64_t *own, *before, *after, *below, *below_before, *below_after;
};

/// Adds the counts of `count` words of `own`. Every voxel of the rows that touches a voxel of `own` counts as the same component.
// own = [0 1 1 0], all other rows empty, Cells::closed  ->  pairs[0] += 1, euler += 1
void count_shape(Isa isa, Cells cells, const ShapeRows& rows, std::int64_t count, ShapeCounts& to);

}  // namespace voxcc::block_runs
