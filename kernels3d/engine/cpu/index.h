// Second half of phase "pack": finds where the runs of a block-row start and gives them ids.
#pragma once
#include "kernels3d/engine/cpu/runs.h"

namespace voxcc::block_runs {

/// Finds the runs of a packed block-row and gives them the ids from `id` on.
/// one row, bits = [0 1 1 0 1], id = 7  ->  starts = [0 1 0 0 1], before[0] = 6, runs 7 and 8; returns 9
/// @tparam R number of rows of the cross-section
/// @return the next free id
template <int R, class Id>
VOXCC_INLINE Id index_block_row(Runs<Id>& runs, int64_t block_row, Id id) {
    const int64_t words = runs.layout.words, at = block_row * words;
    const uint64_t* const bits = runs.bits.data() + at * R;
    uint64_t* const starts = runs.starts.data() + at;
    Id* const before = runs.before.data() + at;
    uint64_t left = 0;
    for (int64_t w = 0; w < words; ++w) {
        uint64_t columns = bits[w];
        for (int r = 1; r < R; ++r) columns |= bits[r * words + w];
        const uint64_t start = columns & ~(columns << 1 | left);
        left = columns >> 63;
        starts[w] = start;
        before[w] = id - 1;
        id += Id(std::popcount(start));
    }
    return id;
}

/// Makes each of the runs [first, end) its own parent.
template <class Id>
VOXCC_INLINE void separate(Runs<Id>& runs, Id first, Id end) {
    Id* const parent = runs.parent.data();
    for (Id i = first; i < end; ++i) parent[i] = i;
}

}  // namespace voxcc::block_runs
