// The number of voxels of every component, from its runs. It takes a fraction of the time of measure().
#pragma once
#include "kernels3d/engine/cpu/runs.h"

#include <span>
#include <unordered_map>

namespace voxcc::block_runs {

/// Calls add(label, voxels) for the runs of a block-row. A run that continues in the next word may be added in parts.
/// @tparam R number of rows of the cross-section
template <int R, class Id, class Add>
VOXCC_INLINE void count_block_row(const Runs<Id>& runs, int64_t block_row, const Add& add) {
    const int64_t words = runs.layout.words;
    const BlockRow<Id> row = runs.row(block_row);
    const auto voxels = [&](int64_t w, uint64_t columns) __attribute__((always_inline)) {
        uint64_t n = 0;
        for (int r = 0; r < R; ++r) n += uint64_t(std::popcount(row.bits[r * words + w] & columns));
        return n;
    };
    for (int64_t w = 0; w < words; ++w) {
        const Id* label = runs.label.data() + row.before[w];
        uint64_t starts = row.starts[w];
        if (const uint64_t n = voxels(w, (starts & (0 - starts)) - 1); n > 0) add(*label, n);  // of the run that continues
        while (starts) {
            const uint64_t from = starts & (0 - starts);
            starts ^= from;
            add(*++label, voxels(w, (starts & (0 - starts)) - from));
        }
    }
}

/// @param offset result of number()
/// @return the number of voxels of each component; entry k - 1 for number k
template <int R, class Id>
std::vector<uint64_t> sizes(const Runs<Id>& runs, const std::vector<Id>& offset, ThreadPool& pool, Isa isa) {
    std::vector<uint64_t> counts(std::size_t(offset.back()));
    // The share in which a component starts writes the entry of the component. Parts in later shares are added at the end.
    std::vector<std::unordered_map<Id, uint64_t>> foreign(runs.shares.size());
    pool.for_each(int64_t(runs.shares.size()), [&](int64_t s) {
        const Share<Id>& share = runs.shares[std::size_t(s)];
        const Id born = offset[std::size_t(s)];
        std::unordered_map<Id, uint64_t>& others = foreign[std::size_t(s)];
        uint64_t* const count = counts.data();
        run_on_avx2(isa, [&] {
            for (int64_t at = share.first; at < share.end; ++at)
                count_block_row<R>(
                    runs, at, [&](Id label, uint64_t n) __attribute__((always_inline)) {
                        if (label > born) count[label - 1] += n;
                        else others[label] += n;
                    });
        });
    });
    for (const auto& others : foreign)
        for (const auto& [label, n] : others) counts[std::size_t(label) - 1] += n;
    return counts;
}

}  // namespace voxcc::block_runs
