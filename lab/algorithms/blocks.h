// Blocks of voxels whose foreground voxels are always connected, and the neighbourhood of a block as bits.
//
// Source: the 2x2 blocks of Grana, Borghesani, Cucchiara 2010 and the bitsets of Allegretti, Bolelli, Grana 2019, figures 7 and 9. The
// papers have 2x2 for connectivity 8 and 2x2x2 for 26; 2x2x1 for 18 and 2x1x1 for 6 and 4 are ours.
#pragma once
#include "lab/algorithms/neighbours.h"

#include <utility>

namespace voxcc::algorithms {

/// Edges of a block, in voxels.
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

/// A set of voxels in the 4x4x4 cube around a block, one bit per voxel. The first voxel of the block is voxel (1, 1, 1) of the cube.
using Cube = std::uint64_t;

/// The bit of a voxel. Coordinates are relative to the first voxel of the block, each -1..2: cube_bit(0, 0, 0)  ->  21.
VOXCC_HD constexpr int cube_bit(int x, int y, int z) { return (x + 1) + 4 * (y + 1) + 16 * (z + 1); }

/// All voxels of a box, in the coordinates of cube_bit(); both ends inclusive.
VOXCC_HD constexpr Cube box(int x0, int x1, int y0, int y1, int z0, int z1) {
    Cube c = 0;
    for (int z = z0; z <= z1; ++z)
        for (int y = y0; y <= y1; ++y)
            for (int x = x0; x <= x1; ++x) c |= Cube{1} << cube_bit(x, y, z);
    return c;
}

/// The voxels of `own` and all their neighbours.
/// @param own must lie in the inner 2x2x2 voxels of the cube, so that no shift wraps around
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

/// The blocks of a volume. The word of a block in the label volume is the word of its first voxel. Blocks at the far faces can extend
/// beyond the volume, but their first voxel is always inside.
template <Connectivity K>
struct Blocks {
    static constexpr BlockShape shape = block_of(K);
    static constexpr Cube own = box(0, int(shape.x) - 1, 0, int(shape.y) - 1, 0, int(shape.z) - 1);

    VOXCC_HD static exec::Grid grid(const exec::Grid& size) {
        return {(size.x + shape.x - 1) / shape.x, (size.y + shape.y - 1) / shape.y, (size.z + shape.z - 1) / shape.z};
    }
    VOXCC_HD static exec::Cell first_voxel(const exec::Cell& block) { return {block.x * shape.x, block.y * shape.y, block.z * shape.z}; }

    /// The voxels of the neighbouring block at (dx, dy, dz) that are in the cube.
    VOXCC_HD static constexpr Cube places(int dx, int dy, int dz) {
        const auto from = [](int d, std::uint32_t edge) { return d < 0 ? -1 : d > 0 ? int(edge) : 0; };
        const auto to = [](int d, std::uint32_t edge) { return d < 0 ? -1 : d > 0 ? int(edge) : int(edge) - 1; };
        return box(from(dx, shape.x), to(dx, shape.x), from(dy, shape.y), to(dy, shape.y), from(dz, shape.z), to(dz, shape.z));
    }
    /// Whether voxels of the two blocks can be neighbours.
    VOXCC_HD static constexpr bool can_touch(int dx, int dy, int dz) { return (dilate<K>(own) & places(dx, dy, dz)) != 0; }

    /// The foreground voxels among the `Wanted` voxels of the cube. The reads do not depend on each other and can run in parallel.
    /// @param first the first voxel of the block
    template <Cube Wanted>
    VOXCC_HD static Cube read(const VoxelView& view, const exec::Cell& first) {
        const bool words = view.size.x % 4 == 0 && exec::address_of(view.voxels) % 4 == 0;
        return words ? read_by<ReadBy::word, Wanted>(view, first) : read_by<ReadBy::byte, Wanted>(view, first);
    }
    VOXCC_HD static Cube read_own(const VoxelView& view, const exec::Cell& first) { return read<own>(view, first); }

    /// The voxels of all earlier blocks that can touch.
    VOXCC_HD static constexpr Cube earlier() {
        Cube c = 0;
        for (int dz = -1; dz <= 1; ++dz)
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    if (is_earlier(dx, dy, dz) && can_touch(dx, dy, dz)) c |= places(dx, dy, dz);
        return c;
    }

    /// The directions of the earlier blocks that contain voxels of `touching`.
    VOXCC_HD static Directions earlier_blocks(Cube touching) {
        return earlier_blocks(touching, std::make_integer_sequence<int, earlier_directions>{});
    }
    /// The offset from the word of a block to the word of its neighbouring block in a direction, in words.
    VOXCC_HD static std::int64_t step_to(const exec::Grid& size, int direction) {
        const int dx = direction % 3 - 1, dy = direction / 3 % 3 - 1, dz = direction / 9 - 1;
        return (std::int64_t(dz * int(shape.z)) * size.y + dy * int(shape.y)) * size.x + dx * int(shape.x);
    }

private:
    template <int... D>
    VOXCC_HD static Directions earlier_blocks(Cube touching, std::integer_sequence<int, D...>) {
        return (Directions{0} | ... | block_in<D>(touching));
    }
    template <int D>
    VOXCC_HD static Directions block_in(Cube touching) {
        constexpr int dx = D % 3 - 1, dy = D / 3 % 3 - 1, dz = D / 9 - 1;
        constexpr Cube there = can_touch(dx, dy, dz) ? places(dx, dy, dz) : 0;
        return touching & there ? Directions{1} << D : 0;
    }

    enum class ReadBy { byte, word };

    template <ReadBy R, Cube Wanted>
    VOXCC_HD static Cube read_by(const VoxelView& view, const exec::Cell& first) {
        Cube found = 0;
        VOXCC_UNROLL
        for (int z = -1; z <= 2; ++z) VOXCC_UNROLL
        for (int y = -1; y <= 2; ++y) {
            const int bit = cube_bit(-1, y, z);
            const auto wanted = unsigned(Wanted >> bit & 15);
            const std::uint32_t vy = first.y + std::uint32_t(y), vz = first.z + std::uint32_t(z);
            if (wanted == 0 || vy >= view.size.y || vz >= view.size.z) continue;
            const exec::Pointer<const std::uint8_t> row = view.voxels + view.at(0, vy, vz);
            const unsigned set =
                R == ReadBy::word ? row_by_words(row, first.x, view.size.x, wanted) : row_by_bytes(row, first.x, view.size.x, wanted);
            found |= Cube(set & wanted) << bit;
        }
        return found;
    }
    /// Bit i, 0..3: whether voxel x - 1 + i of a row of nx voxels is foreground. x must be even.
    VOXCC_HD static unsigned row_by_bytes(exec::Pointer<const std::uint8_t> row, std::uint32_t x, std::uint32_t nx, unsigned wanted) {
        unsigned set = 0;
        VOXCC_UNROLL
        for (std::uint32_t i = 0; i < 4; ++i)
            if (wanted >> i & 1 && x - 1 + i < nx) set |= unsigned(row[x - 1 + i] != 0) << i;
        return set;
    }
    /// As row_by_bytes(), with aligned words of 4 voxels. The word of voxels x and x + 1 also contains either x - 1 or x + 2. The adjacent
    /// word, which contains the other one, is read only if x - 1 or x + 2 is wanted.
    VOXCC_HD static unsigned row_by_words(exec::Pointer<const std::uint8_t> row, std::uint32_t x, std::uint32_t nx, unsigned wanted) {
        const std::uint32_t at = x & ~3u;
        const bool other_follows = x & 2, there = other_follows ? at + 4 < nx : at > 0;
        const unsigned word = nonzero_bytes(row + at);
        const unsigned other = wanted & 9 && there ? nonzero_bytes(other_follows ? row + at + 4 : row + at - 4) : 0;
        return other_follows ? word >> 1 | (other << 3 & 15) : (word << 1 & 15) | other >> 3;
    }
    /// Bit i, 0..3: whether byte i of an aligned word is nonzero.
    VOXCC_HD static unsigned nonzero_bytes(exec::Pointer<const std::uint8_t> p) {
        const std::uint32_t w = exec::word_at(p);
        const std::uint32_t top_bits = (((w & 0x7f7f7f7f) + 0x7f7f7f7f) | w) & 0x80808080;
        return (top_bits >> 7) * 0x01020408 >> 24;  // moves the four bits together
    }
};

}  // namespace voxcc::algorithms
