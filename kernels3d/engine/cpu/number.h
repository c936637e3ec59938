// Phase "number": numbers the components 1..K by their first voxel in raster order. label[run] becomes the number of the component of the
// run.
//
// The root of a component is its first block-run. The first voxel lies in the block-row of the root, or in the same layer if
// cross-sections hold two slices. If block-rows hold several rows, the order of roots may differ from the order of first voxels. Then
// components that start in the same block-row or layer are ranked by their first voxels.
#pragma once
#include "kernels3d/engine/cpu/first_voxels.h"
#include "kernels3d/simd/isa.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace voxcc::block_runs {

/// The components of a share that start in earlier shares. The labels of earlier shares are not known while the share is numbered. Until
/// then, the runs of such a component have a placeholder as label: ~k for the component in parents[k]. A placeholder is never a number of
/// the share, because each run adds at most one of both.
template <class Id>
struct OlderComponents {
    static constexpr bool none = false;
    std::vector<Id> parents;  // a run of each component in an earlier share

    /// @return the placeholder of the component of a run in an earlier share
    VOXCC_INLINE Id placeholder(Id run) {
        if (parents.empty() || parents.back() != run) parents.push_back(run);
        return ~Id(parents.size() - 1);
    }
};

/// For the first share of a volume, in which all components start.
template <class Id>
struct NoOlderComponents {
    static constexpr bool none = true;
    VOXCC_INLINE Id placeholder(Id) { return 0; }
};

/// Numbers the components whose roots are among the runs [first, end) of a share. Numbers start at `known` + 1, in the order of roots.
/// Also labels the other runs in [first, end), with placeholders if their components start in earlier shares.
/// @return the last number
/// @tparam Older OlderComponents or NoOlderComponents
template <class Id, class Older>
VOXCC_INLINE Id number_runs(Runs<Id>& runs, const Share<Id>& share, Id first, Id end, Id known, Older& older) {
    Id* const parent = runs.parent.data();
    Id* const label = runs.label.data();
    const Id share_first = share.first_id;
    Id count = known;
    for (Id i = first; i < end; ++i) {
        const Id p = parent[i], is_root = p == i;
        count += is_root;
        Id number;
        if (Older::none || p >= share_first) {
            parent[i] = parent[p];
            number = label[p];
        } else {
            number = older.placeholder(p);
        }
        label[i] = is_root ? count : number;
    }
    return count;
}

/// Numbers the components that start in a share from 1 on. A parent has a smaller id than its child. So one pass in ascending order points
/// every run at its root.
/// @tparam RY, RZ number of rows of the cross-section in y and z
/// @return the last number
template <int RY, int RZ, class Id, class Older>
VOXCC_INLINE Id number_share(Runs<Id>& runs, const Share<Id>& share, Older& older) {
    if constexpr (RY * RZ == 1) {
        return number_runs(runs, share, share.first_id, share.end_id, Id{0}, older);
    } else {
        FirstVoxels<RY, RZ, Id> first_voxels(runs.layout);
        const int64_t unit = first_voxels.unit();
        Id count = 0;
        for (int64_t at = share.first; at < share.end; at += unit) {
            const int64_t end = std::min(at + unit, share.end);
            const Id known = count;
            count = number_runs(runs, share, runs.first_id(at), runs.end_id(share, end - 1), known, older);
            if (count > known + 1) first_voxels.number(runs, share, at, end, known);
        }
        return count;
    }
}

/// The number in the volume of each component of `older`. All shares must be numbered.
/// @param offset see number()
template <class Id>
std::vector<Id> numbers_of(const OlderComponents<Id>& older, const Runs<Id>& runs, const std::vector<Id>& offset) {
    std::vector<Id> numbers;
    numbers.reserve(older.parents.size());
    for (Id run : older.parents) {
        while (runs.parent[std::size_t(run)] != run) run = runs.parent[std::size_t(run)];
        const auto after = std::upper_bound(runs.shares.begin(), runs.shares.end(), run,
                                            [](Id id, const Share<Id>& share) { return id < share.first_id; });
        numbers.push_back(runs.label[std::size_t(run)] + offset[std::size_t(after - runs.shares.begin()) - 1]);
    }
    return numbers;
}

/// Makes the labels of n runs of a share final: adds the number of components before the share, and replaces placeholders.
template <class Id>
VOXCC_INLINE void finish_labels(Id* __restrict label, Id n, Id before, const std::vector<Id>& number_of_older) {
    const Id* __restrict const number = number_of_older.data();
    const auto older = Id(number_of_older.size());
    if (older == 0) {
        for (Id i = 0; i < n; ++i) label[i] += before;
        return;
    }
    for (Id i = 0; i < n; ++i) {
        const Id own = label[i] + before, k = ~label[i];
        const Id from_table = number[std::min(k, older - 1)];  // reading always is faster than a branch
        label[i] = k < older ? from_table : own;
    }
}

/// Numbers all components.
/// @tparam RY, RZ number of rows of the cross-section in y and z
/// @return offsets: components that start in share s have the numbers offset[s] + 1 .. offset[s + 1]
template <int RY, int RZ, class Id>
std::vector<Id> number(Runs<Id>& runs, ThreadPool& pool, Isa isa) {
    const std::vector<Share<Id>>& shares = runs.shares;
    const std::size_t count = shares.size();
    std::vector<Id> offset(count + 1, 0);
    std::vector<OlderComponents<Id>> older(count);
    std::vector<std::vector<Id>> numbers_of_older(count);
    const auto for_each_share = [&](std::size_t first, const auto& work) {
        pool.for_each(int64_t(count - first), [&](int64_t s) { work(first + std::size_t(s)); });
    };
    runs.label[0] = 0;
    for_each_share(0, [&](std::size_t s) {
        if (s == 0) {
            NoOlderComponents<Id> none;
            run_on(isa, [&] { offset[1] = number_share<RY, RZ>(runs, shares[0], none); });
            return;
        }
        OlderComponents<Id> found;  // not older[s]: threads would write to the same cache lines
        run_on(isa, [&] { offset[s + 1] = number_share<RY, RZ>(runs, shares[s], found); });
        older[s] = std::move(found);
    });
    for (std::size_t s = 0; s < count; ++s) offset[s + 1] += offset[s];
    for_each_share(1, [&](std::size_t s) { numbers_of_older[s] = numbers_of(older[s], runs, offset); });
    for_each_share(1, [&](std::size_t s) {
        Id* const label = runs.label.data() + shares[s].first_id;
        const Id n = shares[s].end_id - shares[s].first_id;
        // Reading tables takes half the time with vectors of 256 bits (AMD EPYC).
        run_on_avx2(isa, [&] { finish_labels(label, n, offset[s], numbers_of_older[s]); });
    });
    return offset;
}

}  // namespace voxcc::block_runs
