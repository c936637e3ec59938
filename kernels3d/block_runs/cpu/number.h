// Phase "number": numbers the components 1..K by their first voxel in raster order. label[run] becomes the number of the component of the
// run.
//
// The root of a component is its first block-run. The first voxel lies in the block-row of the root, or in the same layer if
// cross-sections hold two slices. If block-rows hold several rows, the order of roots may differ from the order of first voxels. Then
// components that start in the same block-row or layer are ranked by their first voxels.
#pragma once
#include "kernels3d/block_runs/cpu/first_voxels.h"
#include "kernels3d/simd/isa.h"

namespace voxcc::block_runs {

/// Number of components that start in a share: runs that are their own parents.
template <class Id>
VOXCC_INLINE Id born_in(const Runs<Id>& runs, const Share<Id>& share) {
    const Id* const parent = runs.parent.data();
    Id count = 0;
    for (Id i = share.first_id; i < share.end_id; ++i) count += parent[i] == i;
    return count;
}

/// Numbers the components whose roots are among the runs [first, end) of a share. Numbers start at `known` + 1, in the order of roots.
/// Also labels the other runs in [first, end) of components that start in the share. Runs of components that start in earlier shares get
/// label 0.
/// @return the last number
template <class Id>
VOXCC_INLINE Id number_runs(Runs<Id>& runs, const Share<Id>& share, Id first, Id end, Id known) {
    Id* const parent = runs.parent.data();
    Id* const label = runs.label.data();
    const Id share_first = share.first_id;
    Id count = known;
    for (Id i = first; i < end; ++i) {
        const Id p = parent[i], is_root = p == i;
        count += is_root;
        Id number = 0;
        if (p >= share_first) {  // otherwise the component starts in an earlier share, and its number is not known yet
            parent[i] = parent[p];
            number = label[p];
        }
        label[i] = is_root ? count : number;
    }
    return count;
}

/// Numbers the components that start in a share from `before` + 1 on. A parent has a smaller id than its child. So one pass in ascending
/// order points every run at its root.
/// @tparam RY, RZ number of rows of the cross-section in y and z
/// @return the last number
template <int RY, int RZ, class Id>
VOXCC_INLINE Id number_share(Runs<Id>& runs, const Share<Id>& share, Id before) {
    if constexpr (RY * RZ == 1) {
        return number_runs(runs, share, share.first_id, share.end_id, before);
    } else {
        FirstVoxels<RY, RZ, Id> first_voxels(runs.layout);
        const int64_t unit = first_voxels.unit();
        Id count = before;
        for (int64_t at = share.first; at < share.end; at += unit) {
            const int64_t end = std::min(at + unit, share.end);
            const Id known = count;
            count = number_runs(runs, share, runs.first_id(at), runs.end_id(share, end - 1), known);
            if (count > known + 1) first_voxels.number(runs, share, at, end, known);
        }
        return count;
    }
}

/// Labels the runs of components that start in earlier shares. All shares must be numbered.
template <class Id>
VOXCC_INLINE void number_older(Runs<Id>& runs, const Share<Id>& share) {
    const Id* const parent = runs.parent.data();
    Id* const label = runs.label.data();
    Id last = 0, label_of_last = 0;  // in a share all runs of a large component have the same parent
    for (Id i = share.first_id; i < share.end_id; ++i) {
        if (parent[i] >= share.first_id) continue;  // do not write label[i]: later shares read it at the same time
        if (parent[i] != last) {
            Id p = last = parent[i];
            while (parent[p] != p) p = parent[p];
            label_of_last = label[p];
        }
        label[i] = label_of_last;
    }
}

/// Numbers all components.
/// @tparam RY, RZ number of rows of the cross-section in y and z
/// @return offsets: components that start in share s have the numbers offset[s] + 1 .. offset[s + 1]
template <int RY, int RZ, class Id>
std::vector<Id> number(Runs<Id>& runs, ThreadPool& pool, Isa isa) {
    const std::vector<Share<Id>>& shares = runs.shares;
    const auto count = int64_t(shares.size());
    std::vector<Id> offset(shares.size() + 1, 0);
    runs.label[0] = 0;
    if (count > 1)  // one share needs no offset
        pool.for_each(count, [&](int64_t s) { run_on(isa, [&] { offset[std::size_t(s) + 1] = born_in(runs, shares[std::size_t(s)]); }); });
    for (std::size_t s = 0; s < shares.size(); ++s) offset[s + 1] += offset[s];
    pool.for_each(count, [&](int64_t s) {
        run_on(isa, [&] {
            const Id last = number_share<RY, RZ>(runs, shares[std::size_t(s)], offset[std::size_t(s)]);
            if (count == 1) offset[1] = last;
        });
    });
    pool.for_each(count - 1, [&](int64_t s) { run_on(isa, [&] { number_older(runs, shares[std::size_t(s) + 1]); }); });
    return offset;
}

}  // namespace voxcc::block_runs
