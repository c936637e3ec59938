// Blocks all of whose voxels are connected, and the neighbourhood of one as bits.
//
// Source: the 2x2 blocks of Grana, Borghesani, Cucchiara 2010 and the bitsets of Allegretti, Bolelli, Grana 2019, figures 7 and 9. They
// give 2x2 for 8 and 2x2x2 for 26; 2x2x1 for 18 and 2x1x1 for 6 and 4 are ours.
#pragma once
#include "kernels3d/algorithms/problem.h"

#include <type_traits>
#include <utility>

namespace voxcc::algorithms {

struct BlockShape {
    std::uint32_t x, y, z;
};

VOXCC_HD constexpr BlockShape block_of(Connectivity c) {
    switch (c) {
        case Connectivity::c26: return {2, 2, 2};
        case Connectivity::c18:
        case Connectivity::c8: return {2, 2, 1};
        default: return {2, 1, 1};
    }
}

/// A cube of 4x4x4 voxels around a block, whose first voxel is (1, 1, 1) of the cube.
using Cube = std::uint64_t;

VOXCC_HD constexpr int cube_bit(int x, int y, int z) { return (x + 1) + 4 * (y + 1) + 16 * (z + 1); }  // relative to the first voxel

VOXCC_HD constexpr Cube box(int x0, int x1, int y0, int y1, int z0, int z1) {  // ends inside
    Cube c = 0;
    for (int z = z0; z <= z1; ++z)
        for (int y = y0; y <= y1; ++y)
            for (int x = x0; x <= x1; ++x) c |= Cube{1} << cube_bit(x, y, z);
    return c;
}

/// All places that are a voxel of `own` or neighbour one. `own` lies in the middle of the cube, so that no shift wraps around.
template <Connectivity K>
VOXCC_HD constexpr Cube dilate(Cube own) {
    const auto along = [](Cube c, int step) { return c | c << step | c >> step; };
    const Cube x = along(own, 1), y = along(own, 4);
    if constexpr (K == Connectivity::c4) return x | y;
    if constexpr (K == Connectivity::c8) return along(x, 4);
    if constexpr (K == Connectivity::c6) return x | y | along(own, 16);
    if constexpr (K == Connectivity::c18) return along(x, 4) | along(x, 16) | along(y, 16);
    if constexpr (K == Connectivity::c26) return along(along(x, 4), 16);
}

/// The blocks of a volume. A block's word in the label volume is that of its first voxel, which every block has.
template <Connectivity K>
struct Blocks {
    static constexpr BlockShape shape = block_of(K);
    static constexpr Cube own = box(0, int(shape.x) - 1, 0, int(shape.y) - 1, 0, int(shape.z) - 1);

    VOXCC_HD static exec::Grid grid(const exec::Grid& size) {
        return {(size.x + shape.x - 1) / shape.x, (size.y + shape.y - 1) / shape.y, (size.z + shape.z - 1) / shape.z};
    }
    VOXCC_HD static exec::Cell first_voxel(const exec::Cell& block) { return {block.x * shape.x, block.y * shape.y, block.z * shape.z}; }

    /// The places of the neighbouring block at (dx, dy, dz).
    VOXCC_HD static constexpr Cube places(int dx, int dy, int dz) {
        const auto from = [](int d, std::uint32_t edge) { return d < 0 ? -1 : d > 0 ? int(edge) : 0; };
        const auto to = [](int d, std::uint32_t edge) { return d < 0 ? -1 : d > 0 ? int(edge) : int(edge) - 1; };
        return box(from(dx, shape.x), to(dx, shape.x), from(dy, shape.y), to(dy, shape.y), from(dz, shape.z), to(dz, shape.z));
    }
    /// Whether voxels of the two blocks can be neighbours.
    VOXCC_HD static constexpr bool can_touch(int dx, int dy, int dz) { return (dilate<K>(own) & places(dx, dy, dz)) != 0; }

    /// Which of the `wanted` places are foreground; reads only those.
    template <Cube Wanted>
    VOXCC_HD static Cube read(const VoxelView& view, const exec::Cell& first, Cube wanted) {
        Cube found = 0;
        VOXCC_UNROLL
        for (int z = -1; z <= 2; ++z) VOXCC_UNROLL
        for (int y = -1; y <= 2; ++y) {
            constexpr Cube row = 15;
            const int bit = cube_bit(-1, y, z);
            if (!(Wanted >> bit & row) || !(wanted >> bit & row)) continue;
            const std::uint32_t vy = first.y + std::uint32_t(y), vz = first.z + std::uint32_t(z);
            if (vy >= view.size.y || vz >= view.size.z) continue;
            const std::int64_t at = view.at(0, vy, vz);
            VOXCC_UNROLL
            for (int x = -1; x <= 2; ++x) {
                if (!(Wanted >> (bit + x + 1) & 1) || !(wanted >> (bit + x + 1) & 1)) continue;
                const std::uint32_t vx = first.x + std::uint32_t(x);
                if (vx < view.size.x && view.voxels[at + vx]) found |= Cube{1} << (bit + x + 1);
            }
        }
        return found;
    }
    VOXCC_HD static Cube read_own(const VoxelView& view, const exec::Cell& first) { return read<own>(view, first, own); }

    /// All places of earlier blocks.
    VOXCC_HD static constexpr Cube earlier() {
        Cube c = 0;
        for (int dz = -1; dz <= 1; ++dz)
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    if (is_earlier(dx, dy, dz) && can_touch(dx, dy, dz)) c |= places(dx, dy, dz);
        return c;
    }

    /// Calls f(n, places, step) for each earlier block that can touch, in raster order. n (a constant) counts them, places is a constant
    /// Cube, step is the way from a block's word in the label volume to that of the neighbour.
    template <class F>
    VOXCC_HD static void for_earlier(const exec::Grid& size, const F& f) {
        for_earlier(size, f, std::make_integer_sequence<int, 13>{});
    }
    /// How many blocks for_earlier visits.
    static constexpr int earlier_count = []<int... D>(std::integer_sequence<int, D...>) {
        return (0 + ... + int(can_touch(D % 3 - 1, D / 3 % 3 - 1, D / 9 - 1)));
    }
    (std::make_integer_sequence<int, 13>{});

private:
    VOXCC_HD static constexpr int visited_before(int d) {
        int n = 0;
        for (int i = 0; i < d; ++i) n += can_touch(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
        return n;
    }
    template <class F, int... D>
    VOXCC_HD static void for_earlier(const exec::Grid& size, const F& f, std::integer_sequence<int, D...>) {
        (visit<D>(size, f), ...);
    }
    template <int D, class F>
    VOXCC_HD static void visit(const exec::Grid& size, const F& f) {
        constexpr int dx = D % 3 - 1, dy = D / 3 % 3 - 1, dz = D / 9 - 1;
        if constexpr (can_touch(dx, dy, dz)) {
            const std::int64_t step = (std::int64_t(dz * int(shape.z)) * size.y + dy * int(shape.y)) * size.x + dx * int(shape.x);
            f(std::integral_constant<int, visited_before(D)>{}, std::integral_constant<Cube, places(dx, dy, dz)>{}, step);
        }
    }
};

}  // namespace voxcc::algorithms
