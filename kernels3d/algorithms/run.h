// Runs a published algorithm and computes the properties that the problem requests.
#pragma once
#include "kernels3d/algorithms/early.h"
#include "kernels3d/algorithms/late.h"

namespace voxcc::algorithms {

/// Whether an algorithm computes properties early: its run() takes EarlyMoments as a third argument.
template <class Algorithm, class Executor>
concept ComputesEarly = requires(Executor& executor, const Problem& problem, EarlyMoments<Executor>& moments) {
    Algorithm::run(executor, problem, moments);
};

/// Whether an algorithm has its own late computation of properties, sum_segments(), in place of sum_columns() (late.h).
template <class Algorithm, class Executor>
concept SumsSegments = requires(Executor& executor, const Problem& problem, const Slots<2>& slots) {
    Algorithm::sum_segments(executor, problem, slots);
};

/// Labels the volume and computes the requested properties.
/// @tparam Algorithm see published.h
/// @param problem may have Measure::early only if the algorithm satisfies ComputesEarly
template <class Algorithm, exec::PhaseExecutor Executor>
Result run(Executor& executor, const Problem& problem) {
    Result result;
    result.memory = std::make_unique<exec::MemoryPart>(executor.memory());
    if constexpr (ComputesEarly<Algorithm, Executor>) {
        EarlyMoments<Executor> moments(executor, problem, *result.memory);
        result.components = Algorithm::run(executor, problem, moments);
        if (problem.measure == Measure::early) result.moments = moments.compact(result.components);
    } else {
        result.components = Algorithm::run(executor, problem);
    }
    if (problem.measure != Measure::late) return result;
    visit_dimension(problem.connectivity, [&]<int D> {
        result.moments = {*result.memory, std::int64_t(result.components) * Moments<D>::count};
        result.boxes = {*result.memory, std::int64_t(result.components)};
        executor.fill("properties", result.moments, std::uint64_t{0});
        executor.fill("properties", result.boxes, empty_box);
        const Slots<D> slots{result.moments.data(), result.boxes.data()};
        if constexpr (SumsSegments<Algorithm, Executor>) Algorithm::sum_segments(executor, problem, slots);
        else sum_columns(executor, problem, slots);
    });
    return result;
}

}  // namespace voxcc::algorithms
