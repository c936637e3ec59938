// The last phases of all published algorithms: from a flat forest to labels 1..K in the raster order of the components' first voxels.
//
// Only roots are scanned and sorted. While the volume is painted, a root's word holds `mark` + its number, so that no table beside the
// label volume is needed; roots get their own labels last.
#pragma once
#include "kernels3d/algorithms/forest.h"
#include "kernels3d/algorithms/problem.h"

namespace voxcc::algorithms {

inline constexpr std::uint32_t mark = std::uint32_t{1} << 31;

/// Forests of voxels, every word its root, a root the first voxel of its component. @return the number of components
template <class Executor>
std::uint32_t number_voxels(Executor& executor, const Problem& problem) {
    const exec::Pointer<std::uint32_t> labels = problem.labels;
    const std::int64_t n = problem.size.cells();
    const auto roots = executor.select("number", n, [=] VOXCC_HD(std::int64_t i) { return labels[i] == std::uint32_t(i) + 1; });
    const exec::Pointer<const std::uint32_t> root = roots.data();
    executor.for_each("number", roots.size(), [=] VOXCC_HD(std::int64_t k) { labels[root[k]] = mark | std::uint32_t(k + 1); });
    executor.for_each("paint", n, [=] VOXCC_HD(std::int64_t i) {
        const std::uint32_t label = labels[i];
        if (label != 0 && !(label & mark)) labels[i] = labels[label - 1] & ~mark;
    });
    executor.for_each("paint", roots.size(), [=] VOXCC_HD(std::int64_t k) { labels[root[k]] &= ~mark; });
    return std::uint32_t(roots.size());
}

}  // namespace voxcc::algorithms
