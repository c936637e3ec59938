// The neighbours of a voxel, and those that come before it in raster order.
#pragma once
#include "kernels3d/algorithms/problem.h"

namespace voxcc::algorithms {

/// Calls f(label) for each earlier neighbour that is foreground, in raster order; label is 1 + its index.
template <Connectivity K, class F>
VOXCC_HD inline void for_earlier_neighbours(const VoxelView& view, const exec::Cell& c, const F& f) {
    VOXCC_UNROLL
    for (int d = 0; d < 13; ++d) {
        const int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
        if (!is_neighbour(K, dx, dy, dz)) continue;
        const exec::Cell n{c.x + std::uint32_t(dx), c.y + std::uint32_t(dy), c.z + std::uint32_t(dz)};
        if (view.foreground(n.x, n.y, n.z)) f(std::uint32_t(view.at(n.x, n.y, n.z)) + 1);
    }
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
