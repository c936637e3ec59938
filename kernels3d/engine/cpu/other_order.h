// Ranks components by their first voxel with x slowest and z fastest.
//
// The first voxel of a run in this order lies in the first column of the run. So one pass over the starts of all runs finds the first voxel
// of every component. No voxel is read.
#pragma once
#include <voxcc/threads.h>
#include "kernels3d/engine/cpu/runs.h"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace voxcc::block_runs {

/// The smallest place of each component, where the place of voxel (x, y, z) is (x * ny + y) * nz + z.
template <int RY, int RZ, class Id>
std::vector<uint64_t> places_with_x_slowest(const Runs<Id>& runs, Id components, ThreadPool& pool) {
    const Layout& l = runs.layout;
    std::vector<uint64_t> places(std::size_t(components), ~uint64_t{0});
    const auto lower = [&](Id label, uint64_t place) {
        std::atomic_ref<uint64_t> least(places[std::size_t(label) - 1]);
        for (uint64_t seen = least.load(std::memory_order_relaxed); place < seen;)
            if (least.compare_exchange_weak(seen, place, std::memory_order_relaxed)) return;
    };
    pool.for_each(int64_t(runs.shares.size()), [&](int64_t s) {
        const Share<Id>& share = runs.shares[std::size_t(s)];
        for (int64_t at = share.first; at < share.end; ++at) {
            const BlockRow<Id> row = runs.row(at);
            const int64_t y = at % l.rows * RY, z = at / l.rows * RZ;
            Id id = row.before[0];
            for (int64_t w = 0; w < l.words; ++w)
                for (uint64_t starts = row.starts[w]; starts; starts &= starts - 1) {
                    const int column = std::countr_zero(starts);
                    int64_t in_column = 0;  // the first foreground voxel of the column, with y before z
                    while (!(row.bits[(in_column % RZ * RY + in_column / RZ) * l.words + w] >> column & 1)) ++in_column;
                    const int64_t x = w * 64 + column;
                    lower(runs.label[std::size_t(++id)],
                          uint64_t((x * l.extent.ny + y + in_column / RZ) * l.extent.nz + z + in_column % RZ));
                }
        }
    });
    return places;
}

/// See Labelling::numbers_with_x_slowest().
template <int RY, int RZ, class Id>
std::vector<uint64_t> numbers_with_x_slowest(const Runs<Id>& runs, Id components, ThreadPool& pool) {
    const std::vector<uint64_t> places = places_with_x_slowest<RY, RZ>(runs, components, pool);
    std::vector<uint64_t> order(places.size()), numbers(places.size());
    std::iota(order.begin(), order.end(), uint64_t{0});
    std::sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) { return places[a] < places[b]; });
    for (std::size_t i = 0; i < order.size(); ++i) numbers[order[i]] = i + 1;
    return numbers;
}

}  // namespace voxcc::block_runs
