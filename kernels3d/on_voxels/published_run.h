// The results of a run on voxels in host memory, without the labels.
#pragma once
#include <voxcc/measure.h>
#include "kernels3d/exec/phases.h"
#include "kernels3d/on_voxels/properties.h"

#include <vector>

namespace voxcc {

struct PublishedRun : MeasuredRun {
    int dimension = 0;                      // 2 or 3: dimension of the moments
    std::vector<std::uint64_t> moments;     // [component][moment] in the order of moments_of() (properties.h), if requested
    std::vector<algorithms::Box> boxes;     // [component], if requested; not for Measure::early
    std::vector<Sums<std::uint64_t>> rows;  // [component], in place of moments and boxes: block-runs with Measure::late
};

/// The table of sums of a run.
/// @param run must have properties of any Measure except none and early
SumTable sum_table(const PublishedRun& run);

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
