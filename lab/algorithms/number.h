// The last phases of all published algorithms: a flat forest becomes labels 1..K in the raster order of the components' first voxels.
// There are two ways, with the same result:
//
// Relabel::marks (ours): a list of the roots gives their numbers. While the volume is painted, the word of a root holds `mark` | its
// number. The other words still point to their roots. No table beside the label volume is therefore needed. The marks are removed last.
//   // flat forest [1, 0, 3, 1, 3]  ->  [mark|1, 0, mark|2, 1, 3]  ->  [1, 0, 2, 1, 2]
//
// Relabel::scan: the sequential relabelling of Asad, Marroquim, Souza 2019, appendix C, after Stava, Benes 2010. A flag per voxel is 1 for
// roots. The inclusive scan S of the flags is the number of each root, and S of the last voxel is the number of components.
//   // flat forest [1, 0, 3, 1, 3]  ->  flags [1, 0, 1, 0, 0]  ->  S = [1, 1, 2, 2, 2]  ->  [1, 0, 2, 1, 2]
// Memory of the scan: 4 bytes per voxel for flags and S, and the memory of the executor's scan.
#pragma once
#include "kernels3d/on_voxels/problem.h"
#include "lab/algorithms/forest.h"

namespace voxcc::algorithms {

inline constexpr std::uint32_t mark = std::uint32_t{1} << 31;  // unused by labels: a volume has at most 2^31 - 1 voxels

/// Whether voxel i is a root in a forest of all voxels.
struct IsRootVoxel {
    exec::Pointer<const std::uint32_t> labels;
    VOXCC_HD bool operator()(std::int64_t i) const { return labels[i] == std::uint32_t(i) + 1; }
};

/// Writes `mark` | number into the words of the roots of a forest. Numbers are 1, 2, ... in raster order.
/// @param is_root is_root(i): whether voxel i is a root. Must be a function object that may run on the executor
/// @return the indices of the roots, ascending
template <class Executor, class IsRoot>
exec::Array<std::uint32_t> mark_roots(Executor& executor, const Problem& problem, const IsRoot& is_root) {
    const exec::Pointer<std::uint32_t> labels = problem.labels;
    exec::Array<std::uint32_t> roots = executor.select("number", problem.size.cells(), is_root);
    const exec::Pointer<const std::uint32_t> root = roots.data();
    executor.for_each("number", roots.size(), [=] VOXCC_HD(std::int64_t k) { labels[root[k]] = mark | std::uint32_t(k + 1); });
    return roots;
}

/// The number of the component of a voxel in a forest whose roots are marked.
/// @param label 1 + the index of the voxel, which must be foreground
VOXCC_HD inline std::uint32_t number_in_forest(exec::Pointer<const std::uint32_t> labels, std::uint32_t label) {
    std::uint32_t word;
    while (!((word = exec::load(labels + label - 1)) & mark)) label = word;
    return word & ~mark;
}

/// number_voxels() for Relabel::marks.
template <class Executor>
std::uint32_t number_by_marks(Executor& executor, const Problem& problem) {
    const exec::Pointer<std::uint32_t> labels = problem.labels;
    const std::int64_t n = problem.size.cells();
    const auto roots = mark_roots(executor, problem, IsRootVoxel{labels});
    const exec::Pointer<const std::uint32_t> root = roots.data();
    executor.for_each("paint", n, [=] VOXCC_HD(std::int64_t i) {
        const std::uint32_t label = labels[i];
        if (label != 0 && !(label & mark)) labels[i] = labels[label - 1] & ~mark;
    });
    executor.for_each("paint", roots.size(), [=] VOXCC_HD(std::int64_t k) { labels[root[k]] &= ~mark; });
    return std::uint32_t(roots.size());
}

/// number_voxels() for Relabel::scan.
template <class Executor>
std::uint32_t number_by_scan(Executor& executor, const Problem& problem) {
    const exec::Pointer<std::uint32_t> labels = problem.labels;
    const std::int64_t n = problem.size.cells();
    exec::Array<std::uint32_t> flags(executor.memory(), n);  // later S
    const exec::Pointer<std::uint32_t> s = flags.data();
    executor.for_each("number", n, [=] VOXCC_HD(std::int64_t i) { s[i] = labels[i] == std::uint32_t(i) + 1; });
    executor.inclusive_scan("number", flags);
    executor.for_each("paint", n, [=] VOXCC_HD(std::int64_t i) {
        const std::uint32_t label = labels[i];
        if (label != 0) labels[i] = s[label - 1];
    });
    return n == 0 ? 0 : executor.fetch(flags.data() + n - 1);
}

/// Replaces a forest of voxels by the final labels.
/// @param problem its label volume must hold a flat forest (forest.h) in which each root is the first voxel of its component
/// @return the number of components
template <class Executor>
std::uint32_t number_voxels(Executor& executor, const Problem& problem) {
    return problem.relabel == Relabel::scan ? number_by_scan(executor, problem) : number_by_marks(executor, problem);
}

}  // namespace voxcc::algorithms
