// Phase "number": components get 1..K by their first voxel in raster order; label[run] is the number of the run's component.
//
// A component's root is its first block-run, which lies in the block-rows of its first voxel. Where block-rows hold several rows, two
// components born in the same ones can be swapped: there the rows are looked through once more, run by run.
#pragma once
#include "kernels3d/block_runs/cpu/runs.h"

namespace voxcc::block_runs {

/// Numbers the components born in the block-rows [first, end) from `count` + 1 on, in raster order of their first voxels.
/// @param rank [ids of these block-rows + 1], by root - first id + 1; zero for those not yet numbered, entry 0 stands for older components
template <class Id>
VOXCC_INLINE void rank_by_first_voxel(const Runs<Id>& runs, const Slab<Id>& slab, int64_t first, int64_t end, Id count,
                                      std::vector<Id>& rank) {
    const Layout& l = runs.layout;
    const Id first_id = runs.first_id(first);
    const Id* const parent = runs.parent.data();
    for (int rz = 0; rz < l.rows_z; ++rz)
        for (int64_t at = first; at < end; ++at) {
            const Id row_end = runs.end_id(slab, at);
            Id youngest = 0;
            for (Id i = runs.first_id(at); i < row_end; ++i) youngest = std::max(youngest, parent[i]);
            if (youngest < first_id) continue;  // nothing here was born here
            const BlockRow<Id> row = runs.row(at);
            for (int ry = 0; ry < l.rows_y; ++ry) {
                const uint64_t* const bits = row.bits + (rz * l.rows_y + ry) * l.words;
                for (int64_t w = 0; w < l.words; ++w) {
                    // The first voxel of each run in this row and word: the addition carries from each run's start to it.
                    const uint64_t m = bits[w], cut = row.starts[w] | 1;
                    for (uint64_t e = ((~m & ~(cut >> 1)) + cut) & m; e; e &= e - 1) {
                        const Id root = parent[row.before[w] + Id(std::popcount(row.starts[w] & (e ^ (e - 1))))];
                        Id& r = rank[root >= first_id ? std::size_t(root - first_id) + 1 : 0];
                        count += r == 0;
                        r = r == 0 ? count : r;
                    }
                }
            }
        }
}

/// The components born in a slab: runs that are their own parents.
template <class Id>
VOXCC_INLINE Id born_in(const Runs<Id>& runs, const Slab<Id>& slab) {
    const Id* const parent = runs.parent.data();
    Id count = 0;
    for (Id i = slab.first_id; i < slab.end_id; ++i) count += parent[i] == i;
    return count;
}

/// Numbers the components born in a slab from `before` + 1 on. Parents are older, so one way up points every run to its root.
/// @return the last number
template <class Id>
VOXCC_INLINE Id number_slab(Runs<Id>& runs, const Slab<Id>& slab, Id before) {
    const Layout& l = runs.layout;
    Id* const parent = runs.parent.data();
    Id* const label = runs.label.data();
    // Raster order can differ from the order of runs only within a layer (2x2 rows) or a block-row (two rows in y).
    const int64_t unit = l.rows_z > 1 ? l.rows : l.rows_y > 1 ? 1 : slab.end - slab.first;
    std::vector<Id> rank;
    Id count = before;
    for (int64_t at = slab.first; at < slab.end; at += unit) {
        const int64_t end = std::min(at + unit, slab.end);
        const Id first_id = runs.first_id(at), end_id = runs.end_id(slab, end - 1), known = count;
        for (Id i = first_id; i < end_id; ++i) {
            const Id p = parent[i], is_root = p == i;
            count += is_root;
            Id number = 0;
            if (p >= slab.first_id) {  // else the component is of a slab below: its number is not known yet
                parent[i] = parent[p];
                number = label[p];
            }
            label[i] = is_root ? count : number;
        }
        if (l.rows_y * l.rows_z == 1 || count <= known + 1) continue;
        rank.assign(std::size_t(end_id - first_id) + 1, 0);
        rank[0] = ~Id{0};
        rank_by_first_voxel(runs, slab, at, end, known, rank);
        for (Id i = first_id; i < end_id; ++i)
            if (parent[i] >= first_id) label[i] = rank[std::size_t(parent[i] - first_id) + 1];
    }
    return count;
}

/// Labels the runs of components that were born in a slab below, where they have their numbers.
template <class Id>
VOXCC_INLINE void number_older(Runs<Id>& runs, const Slab<Id>& slab) {
    const Id* const parent = runs.parent.data();
    Id* const label = runs.label.data();
    Id last = 0, label_of_last = 0;  // a slab's runs of a large component all have the same parent
    for (Id i = slab.first_id; i < slab.end_id; ++i) {
        if (parent[i] >= slab.first_id) continue;  // not even written: slabs above look for their roots' labels here
        if (parent[i] != last) {
            Id p = last = parent[i];
            while (parent[p] != p) p = parent[p];
            label_of_last = label[p];
        }
        label[i] = label_of_last;
    }
}

/// Numbers all components. @return offsets: slab s has the numbers offsets[s] + 1 .. offsets[s + 1]
template <class Id>
std::vector<Id> number(Runs<Id>& runs, ThreadPool& pool, Isa isa) {
    const std::vector<Slab<Id>>& slabs = runs.slabs;
    const auto count = int64_t(slabs.size());
    std::vector<Id> offset(slabs.size() + 1, 0);
    runs.label[0] = 0;
    if (count > 1)  // else there is nothing to add up
        pool.for_each(count, [&](int64_t s) { run_on(isa, [&] { offset[std::size_t(s) + 1] = born_in(runs, slabs[std::size_t(s)]); }); });
    for (std::size_t s = 0; s < slabs.size(); ++s) offset[s + 1] += offset[s];
    pool.for_each(count, [&](int64_t s) {
        run_on(isa, [&] {
            const Id last = number_slab(runs, slabs[std::size_t(s)], offset[std::size_t(s)]);
            if (count == 1) offset[1] = last;
        });
    });
    pool.for_each(count - 1, [&](int64_t s) { run_on(isa, [&] { number_older(runs, slabs[std::size_t(s) + 1]); }); });
    return offset;
}

}  // namespace voxcc::block_runs
