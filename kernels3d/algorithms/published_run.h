// What a run of a published algorithm leaves on the host, beside the labels.
#pragma once
#include "kernels3d/algorithms/properties.h"

#include <vector>

namespace voxcc {

struct PublishedRun {
    std::uint32_t components = 0;
    std::vector<exec::Phase> phases;     // CUDA: device time by events; "whole" is the run from its first phase to its last, "upload" and
                                         // "download" are the copies from and to the host before and after, "allocation" that of voxels
                                         // and labels, by the host's clock
    std::size_t bytes = 0;               // peak of the algorithm's own arrays, beside voxels and labels; with those of properties
    std::size_t property_bytes = 0;      // peak of the arrays of properties alone
    int dimension = 0;                   // 2 or 3, of the moments
    std::vector<std::uint64_t> moments;  // [component][moment] in the order of moments_of() (properties.h), if asked for
    std::vector<algorithms::Box> boxes;  // [component], late only
    std::vector<Sums<std::uint64_t>> rows;  // [component], instead of both: block-runs, late
};

namespace algorithms {

/// All of the result, without phases and `bytes`.
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
