// For Rule::equal_values: the values of voxels, and comparisons of two rows.
//
// Voxels of two rows can touch in the same column and, if the connectivity has this step, in adjacent columns:
//      other:  a b      same: b = d; other_left: a = d; own_left: b = c. Column 0 of a tile has no column to the left:
//      own:    c d      join_values.h handles the contacts across x.
// If `same` is set in a column or to its left, it already joins the two runs of a slanted contact. So a slanted contact counts only where
// one run has ended and the other run starts.
#pragma once
#include <voxcc/bits.h>
#include "kernels3d/block_runs/tiles/contacts.h"
#include "kernels3d/neighbourhood.h"

namespace voxcc::block_runs::tiles {

/// The unsigned type as wide as T.
template <class T>
using WordOf = std::conditional_t<sizeof(T) == 8, uint64_t,
                                  std::conditional_t<sizeof(T) == 4, uint32_t, std::conditional_t<sizeof(T) == 2, uint16_t, std::uint8_t>>>;

/// The values of a volume as bits. Two values have equal bits exactly if they are equal (value_bits.h). Values of background voxels are
/// not used.
/// @tparam Value WordOf<the stored type>
template <class Value>
struct ValueRows {
    exec::Grid size;
    const uint64_t* bits;  // [row][ceil(nx / 64)] foreground; bits past the extent must be zero
    const Value* values;   // [z][y][x]

    VOXCC_HD uint64_t row_at(uint32_t y, uint32_t z) const { return uint64_t(z) * size.y + y; }
    /// Foreground of the 64 columns of a tile in row (y, z).
    VOXCC_HD uint64_t columns_at(uint32_t tile_x, uint32_t y, uint32_t z) const { return bits[row_at(y, z) * words_of(size.x) + tile_x]; }
    /// Address of the value of voxel (x, y, z).
    VOXCC_HD const Value* at(uint32_t x, uint32_t y, uint32_t z) const { return values + row_at(y, z) * size.x + x; }
};

/// Number of values of Before for which adjacent columns touch, too. These are the first ones.
template <Connectivity K>
inline constexpr int slanted_relations = [] {
    int n = 0;
    for (const Before which : {Before::before, Before::below, Before::below_before, Before::below_after})
        n += is_neighbour(K, 1, step_y(which), step_z(which));
    return n;
}();

/// Compares the voxels of one column in two rows.
/// @param left 1, or 0 if the tile has no column to the left
/// @return bit 0: same, bit 1: other_left, bit 2: own_left
template <class Value>
VOXCC_HD inline uint32_t compare(const Value* own, const Value* other, int left) {
    const Value o = *own, there = *other;
    return uint32_t(o == there) | uint32_t(o == other[-left]) << 1 | uint32_t(own[-left] == there) << 2;
}

/// Columns in which two rows are equal, in the three ways of the drawing above.
struct EqualColumns {
    uint64_t same, other_left, own_left;

    /// The same, without columns in which one of the voxels is background.
    VOXCC_HD EqualColumns of_foreground(uint64_t own, uint64_t other) const {
        return {same & own & other, other_left & own & (other << 1), own_left & (own << 1) & other};
    }
};

/// Columns at which runs of two rows must be united: one event per pair of runs.
struct ValueEvents {
    uint64_t same, other_left, own_left;

    /// @param bridged columns in which other contacts already join the two runs
    /// @param starts columns in which a run of either row starts
    VOXCC_HD static ValueEvents of(const EqualColumns& equal, uint64_t bridged, uint64_t starts) {
        const uint64_t apart = ~(equal.same | equal.same << 1);
        return {pair_events(equal.same, bridged, starts), equal.other_left & apart, equal.own_left & apart};
    }
    VOXCC_HD uint32_t count() const { return uint32_t(count_bits(same) + count_bits(other_left) + count_bits(own_left)); }
    /// Calls use(i, own run, other run) for events i = 0, 1, ..
    template <class Use>
    VOXCC_HD void for_each(const RunsOfTwo& runs, const Use& use) const {
        for_each_pair(same, runs, use);
        if ((other_left | own_left) == 0) return;
        const uint32_t before = uint32_t(count_bits(same)), before_own = before + uint32_t(count_bits(other_left));
        for_each_pair(other_left, {runs.starts_a, runs.starts_b << 1, runs.first_a, runs.first_b},
                      [&](uint32_t i, uint32_t a, uint32_t b) { use(before + i, a, b); });
        for_each_pair(own_left, {runs.starts_a << 1, runs.starts_b, runs.first_a, runs.first_b},
                      [&](uint32_t i, uint32_t a, uint32_t b) { use(before_own + i, a, b); });
    }
};

/// Phase "values": out[k - 1] becomes the value of the first voxel of component k. Each lane handles one stretch of voxels.
template <class Value>
struct FirstValues {
    TileArrays arrays;
    const Value* values;
    uint64_t* out;
    VOXCC_HD void operator()(int64_t i) const {
        uint32_t k = arrays.before[i];
        for (int w = 0; w < 8; ++w)
            for (uint32_t marks = arrays.marks[i].words[w]; marks; marks &= marks - 1)
                out[k++] = values[i * Stretch::voxels + 32 * w + lowest_bit(marks)];
    }
};

}  // namespace voxcc::block_runs::tiles
