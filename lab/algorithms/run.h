// Runs a published algorithm and computes the properties that the problem requests.
#pragma once
#include "lab/algorithms/early.h"
#include "lab/algorithms/late.h"
#include "lab/algorithms/late_per_voxel.h"

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

/// Whether an algorithm has an analysis, which computes properties in place of labels: find_components() gives their number, and
/// sum_components() adds all voxels to the slots.
template <class Algorithm, class Executor>
concept Analyses = requires(Executor& executor, const Problem& problem, const Slots<2>& slots) {
    Algorithm::find_components(executor, problem);
    Algorithm::sum_components(executor, problem, slots);
};

/// Gives the result slots for its components, and calls sum(slots), which must add all voxels.
template <class Executor, class Sum>
void fill_slots(Executor& executor, const Problem& problem, Result& result, const Sum& sum) {
    visit_dimension(problem.connectivity, [&]<int D> {
        result.moments = {*result.memory, std::int64_t(result.components) * Moments<D>::count};
        result.boxes = {*result.memory, std::int64_t(result.components)};
        executor.fill("properties", result.moments, std::uint64_t{0});
        executor.fill("properties", result.boxes, empty_box);
        sum(Slots<D>{result.moments.data(), result.boxes.data()});
    });
}

/// Computes properties from the final labels.
/// @param problem must have Measure::late or Measure::late_per_voxel
template <class Algorithm, class Executor>
void compute_late(Executor& executor, const Problem& problem, Result& result) {
    fill_slots(executor, problem, result, [&](const auto& slots) {
        if (problem.measure == Measure::late_per_voxel) return sum_voxels(executor, problem, slots);
        if constexpr (SumsSegments<Algorithm, Executor>) Algorithm::sum_segments(executor, problem, slots);
        else sum_columns(executor, problem, slots);
    });
}

/// Labels the volume and computes the requested properties.
/// @tparam Algorithm see published.h
/// @param problem may have Measure::early only if the algorithm satisfies ComputesEarly, and Measure::analysis only if it satisfies
/// Analyses
template <class Algorithm, exec::PhaseExecutor Executor>
Result run(Executor& executor, const Problem& problem) {
    Result result;
    result.memory = std::make_unique<exec::MemoryPart>(executor.memory());
    if constexpr (Analyses<Algorithm, Executor>) {
        if (problem.measure == Measure::analysis) {
            result.components = Algorithm::find_components(executor, problem);
            fill_slots(executor, problem, result, [&](const auto& slots) { Algorithm::sum_components(executor, problem, slots); });
            return result;
        }
    }
    if constexpr (ComputesEarly<Algorithm, Executor>) {
        EarlyMoments<Executor> moments(executor, problem, *result.memory);
        result.components = Algorithm::run(executor, problem, moments);
        if (problem.measure == Measure::early) result.moments = moments.compact(result.components);
    } else {
        result.components = Algorithm::run(executor, problem);
    }
    if (problem.measure == Measure::late || problem.measure == Measure::late_per_voxel) compute_late<Algorithm>(executor, problem, result);
    return result;
}

}  // namespace voxcc::algorithms
