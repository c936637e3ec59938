// Lists all algorithms with their connectivities, rules and devices.
#include <voxcc/algorithms.h>

#include "kernels3d/api/cuda.h"
#include "kernels3d/exec/cpu_executor.h"
#include "lab/algorithms/published.h"
#include "lab/algorithms/run.h"

#include <algorithm>
#include <vector>

namespace voxcc {
namespace {

constexpr std::array all{Connectivity::c6, Connectivity::c18, Connectivity::c26, Connectivity::c4, Connectivity::c8};

/// The connectivities that an algorithm declares; all connectivities if it declares none.
template <class Algorithm>
constexpr std::span<const Connectivity> connectivities_of() {
    if constexpr (requires { Algorithm::connectivities; }) return Algorithm::connectivities;
    else return all;
}

constexpr std::array foreground_only{Rule::foreground};
constexpr std::array rules_of_block_runs{Rule::foreground, Rule::equal_values, Rule::gradient};

/// The rules that an algorithm declares; only Rule::foreground if it declares none.
template <class Algorithm>
constexpr std::span<const Rule> rules_of() {
    if constexpr (requires { Algorithm::rules; }) return Algorithm::rules;
    else return foreground_only;
}

constexpr std::array marks_or_scan{Relabel::marks, Relabel::scan};

/// The ways of relabelling that an algorithm declares; all ways if it declares none.
template <class Algorithm>
constexpr std::span<const Relabel> relabels_of() {
    if constexpr (requires { Algorithm::relabels; }) return Algorithm::relabels;
    else return marks_or_scan;
}

/// Whether an algorithm declares that it walks along paths.
template <class Algorithm>
constexpr bool walks_paths() {
    if constexpr (requires { Algorithm::walks_paths; }) return Algorithm::walks_paths;
    else return false;
}

std::vector<Algorithm> make_list() {
    std::vector<Algorithm> list{{"block-runs", all, rules_of_block_runs, "voxcc",
                                 "ours: union-find over runs of block rows (2x2 rows for 26, 2x1 for 18 and 8, single rows for 6 and 4)"}};
    const auto published = algorithms::Published::map([]<class A>(A) {
        return Algorithm{.name = A::name,
                         .connectivities = connectivities_of<A>(),
                         .rules = rules_of<A>(),
                         .source = A::source,
                         .origin = A::origin,
                         .run_cpu = &algorithms::run<A, exec::CpuExecutor>,
                         .relabels = relabels_of<A>(),
                         .computes_early = algorithms::ComputesEarly<A, exec::CpuExecutor>,
                         .analyses = algorithms::Analyses<A, exec::CpuExecutor>,
                         .walks_paths = walks_paths<A>()};
    });
    list.insert(list.end(), published.begin(), published.end());
    const auto on_cuda = exec::cuda_runs();
    for (std::size_t i = 0; i < on_cuda.size(); ++i) list[i + 1].run_cuda = on_cuda[i];
    list[0].label_cuda = exec::cuda_block_runs();
    list[0].run_cuda = exec::cuda_block_runs_on_voxels();
    return list;
}

}  // namespace

std::span<const Algorithm> all_algorithms() {
    static const std::vector<Algorithm> list = make_list();
    return list;
}

const Algorithm* find_algorithm(std::string_view name) {
    const auto list = all_algorithms();
    const auto found = std::find_if(list.begin(), list.end(), [&](const Algorithm& a) { return a.name == name; });
    return found == list.end() ? nullptr : &*found;
}

bool supports(const Algorithm& algorithm, Connectivity connectivity) {
    return std::find(algorithm.connectivities.begin(), algorithm.connectivities.end(), connectivity) != algorithm.connectivities.end();
}

bool supports(const Algorithm& algorithm, Rule rule) {
    return std::find(algorithm.rules.begin(), algorithm.rules.end(), rule) != algorithm.rules.end();
}

bool supports(const Algorithm& algorithm, Relabel relabel) {
    return relabel == Relabel::marks ||
           std::find(algorithm.relabels.begin(), algorithm.relabels.end(), relabel) != algorithm.relabels.end();
}

bool supports(const Algorithm& algorithm, Measure measure) {
    switch (measure) {
        case Measure::early: return algorithm.computes_early;
        case Measure::late_per_voxel: return algorithm.is_published();
        case Measure::analysis: return algorithm.analyses;
        default: return true;
    }
}

void require_rule(const Algorithm& algorithm, Rule rule, Device::Kind device) {
    if (supports(algorithm, rule)) return;
    std::string names;
    for (const Algorithm& other : all_algorithms())
        if (supports(other, rule) && other.runs_on(device)) names += (names.empty() ? "" : ", ") + std::string(other.name);
    throw Error(ErrorKind::unsupported_by_algorithm, "algorithm " + std::string(algorithm.name),
                "does not join voxels by " + std::string(name_of(rule)), names);
}

std::string devices_of(const Algorithm& algorithm) { return algorithm.runs_on(Device::Kind::cuda) ? "cpu cuda" : "cpu"; }

}  // namespace voxcc
