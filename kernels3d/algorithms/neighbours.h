// The neighbours of a voxel, and those that come before it in raster order.
#pragma once
#include "kernels3d/algorithms/problem.h"
#include "kernels3d/exec/bits.h"

namespace voxcc::algorithms {

/// A set of directions. Bit d, 0..26 in raster order, is the step (d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1); those below 13 lead to what is
/// earlier.
using Directions = std::uint32_t;
inline constexpr int earlier_directions = 13;

/// How far a direction leads in a volume or a grid, in cells of raster order.
VOXCC_HD inline std::int64_t step(const exec::Grid& size, int direction) {
    return (std::int64_t(direction / 9 - 1) * size.y + direction / 3 % 3 - 1) * size.x + direction % 3 - 1;
}

/// Calls f(direction) for each of a set, the first in raster order first. Each lane of a warp goes through its own set: where unions
/// follow, that takes half the time of going through all directions together and skipping those that are not in the set.
template <class F>
VOXCC_HD inline void for_each(Directions set, const F& f) {
    for (; set != 0; set &= set - 1) f(exec::lowest_bit(set));
}

/// The earlier neighbours that are foreground.
template <Connectivity K>
VOXCC_HD inline Directions earlier_neighbours(const VoxelView& view, const exec::Cell& c) {
    Directions set = 0;
    VOXCC_UNROLL
    for (int d = 0; d < earlier_directions; ++d) {
        const int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
        if (is_neighbour(K, dx, dy, dz) && view.foreground(c.x + std::uint32_t(dx), c.y + std::uint32_t(dy), c.z + std::uint32_t(dz)))
            set |= Directions{1} << d;
    }
    return set;
}

/// Calls f(index) for each neighbour that is foreground, in raster order.
template <Connectivity K, class F>
VOXCC_HD inline void for_neighbours(const VoxelView& view, const exec::Cell& c, const F& f) {
    VOXCC_UNROLL
    for (int d = 0; d < 27; ++d) {
        const int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
        if (!is_neighbour(K, dx, dy, dz)) continue;
        const exec::Cell n{c.x + std::uint32_t(dx), c.y + std::uint32_t(dy), c.z + std::uint32_t(dz)};
        if (view.foreground(n.x, n.y, n.z)) f(view.at(n.x, n.y, n.z));
    }
}

}  // namespace voxcc::algorithms
