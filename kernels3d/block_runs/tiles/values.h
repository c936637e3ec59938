// By equal values: the values of voxels, and which columns of two rows have equal ones.
//
// Voxels of two rows side by side touch in the same column, and where connectivity has the step, in columns next to each other:
//      other:  a b      same: b = d; other_left: a = d, own_left: b = c. Left of column 0 there is nothing: tiles join there by
//      own:    c d      themselves (join_values.h).
// Where `same` is set in this column or the one to the left, the two runs of a slanted contact are joined by it already. So a slanted
// contact counts only where one run has ended and the other begins.
#pragma once
#include "kernels3d/block_runs/tiles/contacts.h"
#include "kernels3d/neighbourhood.h"

namespace voxcc::block_runs::tiles {

/// An unsigned type as wide as T.
template <class T>
using WordOf = std::conditional_t<sizeof(T) == 8, uint64_t,
                                  std::conditional_t<sizeof(T) == 4, uint32_t, std::conditional_t<sizeof(T) == 2, uint16_t, std::uint8_t>>>;

/// Values as bits that are equal exactly where values are (value_bits.h), those of background mean nothing.
/// @tparam Value WordOf<> the stored type
template <class Value>
struct ValueRows {
    exec::Grid size;
    const uint64_t* bits;  // [row][ceil(nx / 64)] foreground, bits past the extent are zero
    const Value* values;   // [z][y][x]

    VOXCC_HD uint64_t row_at(uint32_t y, uint32_t z) const { return uint64_t(z) * size.y + y; }
    /// Foreground of the 64 columns of a tile.
    VOXCC_HD uint64_t columns_at(uint32_t tile_x, uint32_t y, uint32_t z) const {
        return bits[row_at(y, z) * ((size.x + 63) / 64) + tile_x];
    }
    VOXCC_HD const Value* at(uint32_t x, uint32_t y, uint32_t z) const { return values + row_at(y, z) * size.x + x; }
};

/// Before: how many of those have steps to columns next to each other, too. They are the first ones.
template <Connectivity K>
inline constexpr int slanted_relations = [] {
    int n = 0;
    for (const Before which : {Before::before, Before::below, Before::below_before, Before::below_after})
        n += is_neighbour(K, 1, step_y(which), step_z(which));
    return n;
}();

/// Compares the voxels of one column. @return bit 0: same, 1: other_left, 2: own_left
/// @param left the distance to the column to the left; 0 where there is none
template <class Value>
VOXCC_HD inline uint32_t compare(const Value* own, const Value* other, int left) {
    const Value o = *own, there = *other;
    return uint32_t(o == there) | uint32_t(o == other[-left]) << 1 | uint32_t(own[-left] == there) << 2;
}

/// Words of columns.
struct EqualColumns {
    uint64_t same, other_left, own_left;

    /// Only foreground is equal.
    VOXCC_HD EqualColumns of_foreground(uint64_t own, uint64_t other) const {
        return {same & own & other, other_left & own & (other << 1), own_left & (own << 1) & other};
    }
};

/// Where the runs of two rows are to be united, an event a pair.
struct ValueEvents {
    uint64_t same, other_left, own_left;

    /// @param bridged columns that other contacts join; @param starts of runs, in either row
    VOXCC_HD static ValueEvents of(const EqualColumns& equal, uint64_t bridged, uint64_t starts) {
        const uint64_t apart = ~(equal.same | equal.same << 1);
        return {pair_events(equal.same, bridged, starts), equal.other_left & apart, equal.own_left & apart};
    }
    VOXCC_HD uint32_t count() const { return uint32_t(count_bits(same) + count_bits(other_left) + count_bits(own_left)); }
    /// Calls use(i, own run, other run) for event i = 0, 1, ...
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

/// Phase "values": the value of each component, that of its first voxel, row k - 1 for number k. A lane takes a stretch of voxels.
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
