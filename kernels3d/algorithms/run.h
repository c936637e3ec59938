// A row with the properties that the problem asks for.
#pragma once
#include "kernels3d/algorithms/early.h"
#include "kernels3d/algorithms/late.h"

namespace voxcc::algorithms {

/// Whether a row carries properties through its phases: its run() takes them.
template <class Row, class Executor>
concept ComputesEarly = requires(Executor& executor, const Problem& problem, EarlyMoments<Executor>& moments) {
    Row::run(executor, problem, moments);
};

/// Whether a row has a way of its own to compute properties late.
template <class Row, class Executor>
concept SumsSegments = requires(Executor& executor, const Problem& problem, const Slots<2>& slots) {
    Row::sum_segments(executor, problem, slots);
};

/// @param problem with Measure::early only if the row ComputesEarly
template <class Row, class Executor>
Result run(Executor& executor, const Problem& problem) {
    Result result;
    result.memory = std::make_unique<exec::MemoryPart>(executor.memory());
    if constexpr (ComputesEarly<Row, Executor>) {
        EarlyMoments<Executor> moments(executor, problem, *result.memory);
        result.components = Row::run(executor, problem, moments);
        if (problem.measure == Measure::early) result.moments = moments.compact(result.components);
    } else {
        result.components = Row::run(executor, problem);
    }
    if (problem.measure != Measure::late) return result;
    visit_dimension(problem.connectivity, [&]<int D> {
        result.moments = {*result.memory, std::int64_t(result.components) * Moments<D>::count};
        result.boxes = {*result.memory, std::int64_t(result.components)};
        executor.fill("properties", result.moments, std::uint64_t{0});
        executor.fill("properties", result.boxes, empty_box);
        const Slots<D> slots{result.moments.data(), result.boxes.data()};
        if constexpr (SumsSegments<Row, Executor>) Row::sum_segments(executor, problem, slots);
        else sum_columns(executor, problem, slots);
    });
    return result;
}

}  // namespace voxcc::algorithms
