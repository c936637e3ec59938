// Second half of phase "pack": finds where the runs of a block-row start and gives them ids.
#pragma once
#include "kernels3d/block_runs/cpu/runs.h"

namespace voxcc::block_runs {

/// Finds the runs of a packed block-row and gives them the ids from `id` on. Each run becomes its own parent.
/// one row, bits = [0 1 1 0 1], id = 7  ->  starts = [0 1 0 0 1], before[0] = 6, runs 7 and 8; returns 9
/// @return the next free id
template <class Id>
VOXCC_INLINE Id index_block_row(Runs<Id>& runs, int64_t block_row, Id id) {
    const Layout& l = runs.layout;
    const int R = l.rows_y * l.rows_z;
    const int64_t at = block_row * l.words;
    const uint64_t* const bits = runs.bits.data() + at * R;
    uint64_t* const starts = runs.starts.data() + at;
    Id* const before = runs.before.data() + at;
    const Id first = id;
    uint64_t left = 0;
    for (int64_t w = 0; w < l.words; ++w) {
        uint64_t columns = bits[w];
        for (int r = 1; r < R; ++r) columns |= bits[r * l.words + w];
        const uint64_t start = columns & ~(columns << 1 | left);
        left = columns >> 63;
        starts[w] = start;
        before[w] = id - 1;
        id += Id(std::popcount(start));
    }
    Id* const parent = runs.parent.data();
    for (Id i = first; i < id; ++i) parent[i] = i;
    return id;
}

}  // namespace voxcc::block_runs
