// The row of the registry for a published algorithm.
#pragma once
#include "kernels3d/api/algorithm_functions.h"
#include "kernels3d/exec/cpu_executor.h"
#include "lab/algorithms/label_published.h"
#include "lab/algorithms/run.h"

#include <array>

namespace voxcc::algorithms {

inline constexpr std::array all{Connectivity::c6, Connectivity::c18, Connectivity::c26, Connectivity::c4, Connectivity::c8};

/// The connectivities that an algorithm declares; all connectivities if it declares none.
template <class A>
constexpr std::span<const Connectivity> connectivities_of() {
    if constexpr (requires { A::connectivities; }) return A::connectivities;
    else return all;
}

inline constexpr std::array foreground_only{Rule::foreground};

/// The rules that an algorithm declares; only Rule::foreground if it declares none.
template <class A>
constexpr std::span<const Rule> rules_of() {
    if constexpr (requires { A::rules; }) return A::rules;
    else return foreground_only;
}

inline constexpr std::array marks_or_scan{Relabel::marks, Relabel::scan};

/// The ways of relabelling that an algorithm declares; all ways if it declares none.
template <class A>
constexpr std::span<const Relabel> relabels_of() {
    if constexpr (requires { A::relabels; }) return A::relabels;
    else return marks_or_scan;
}

/// Whether an algorithm declares that it walks along paths.
template <class A>
constexpr bool walks_paths() {
    if constexpr (requires { A::walks_paths; }) return A::walks_paths;
    else return false;
}

/// The functions of an algorithm, without its function for CUDA.
template <class A>
inline AlgorithmFunctions functions_of{.run_cpu = &run<A, exec::CpuExecutor>,
                                       .label = &label_published,
                                       .relabels = relabels_of<A>(),
                                       .computes_early = ComputesEarly<A, exec::CpuExecutor>,
                                       .analyses = Analyses<A, exec::CpuExecutor>,
                                       .walks_paths = walks_paths<A>()};

template <class A>
Algorithm row_of() {
    return {.name = A::name,
            .connectivities = connectivities_of<A>(),
            .rules = rules_of<A>(),
            .source = A::source,
            .origin = A::origin,
            .functions = &functions_of<A>};
}

}  // namespace voxcc::algorithms
