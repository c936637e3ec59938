// The results of a run of a published algorithm in host memory, without the labels.
#pragma once
#include "kernels3d/algorithms/properties.h"

#include <vector>

namespace voxcc {

struct PublishedRun {
    std::uint32_t components = 0;
    /// Time per phase. On CUDA, times are device times, measured with events. Additional phases on CUDA:
    ///   "whole"       from the first phase of the algorithm to the last
    ///   "upload"      copy from the host before the run
    ///   "download"    copy to the host after the run
    ///   "allocation"  allocation of voxels and labels, by the host clock
    std::vector<exec::Phase> phases;
    std::size_t bytes = 0;                  // peak bytes of the algorithm's arrays, with the property arrays, without voxels and labels
    std::size_t property_bytes = 0;         // peak bytes of the property arrays alone
    int dimension = 0;                      // 2 or 3: dimension of the moments
    std::vector<std::uint64_t> moments;     // [component][moment] in the order of moments_of() (properties.h), if requested
    std::vector<algorithms::Box> boxes;     // [component], only for Measure::late
    std::vector<Sums<std::uint64_t>> rows;  // [component], in place of moments and boxes: block-runs with Measure::late
};

namespace algorithms {

/// Copies a result to the host. `phases` and `bytes` stay at their defaults.
template <class Executor>
PublishedRun on_host(Executor& executor, const Problem& problem, const Result& result) {
    PublishedRun run;
    run.components = result.components;
    run.property_bytes = result.memory->peak();
    run.dimension = dimension_of(problem.connectivity);
    run.moments = executor.fetch(result.moments);
    run.boxes = executor.fetch(result.boxes);
    run.rows = executor.fetch(result.rows);
    return run;
}

}  // namespace algorithms
}  // namespace voxcc
