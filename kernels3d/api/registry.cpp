// Lists all algorithms with their connectivities, rules and devices.
#include <voxcc/device.h>

#include "kernels3d/api/algorithm_functions.h"
#include "kernels3d/api/cuda.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

namespace voxcc {
namespace {

constexpr std::array all{Connectivity::c6, Connectivity::c18, Connectivity::c26, Connectivity::c4, Connectivity::c8};
constexpr std::array rules_of_block_runs{Rule::foreground, Rule::equal_values, Rule::gradient};

/// The algorithms, block-runs first. Algorithms keep their places, so that references to them stay valid when others are added.
class Registry {
public:
    Registry()
        : rows_{Algorithm{.name = "block-runs",
                          .connectivities = all,
                          .rules = rules_of_block_runs,
                          .source = "voxcc",
                          .origin = "ours: union-find over runs of block rows (2x2 rows for 26, 2x1 for 18 and 8, single rows for 6 and 4)",
                          .functions = &of_block_runs_}} {}

    void add(std::span<const Algorithm> algorithms) {
        const std::lock_guard lock(adding_);
        std::size_t end = count_;
        for (const Algorithm& algorithm : algorithms) {
            if (find(algorithm.name)) continue;
            if (end == rows_.size()) throw Error(ErrorKind::internal, std::string(algorithm.name), "is one algorithm too many");
            rows_[end++] = algorithm;
        }
        count_ = end;
    }
    std::span<const Algorithm> all_rows() const { return std::span(rows_).first(count_); }
    const Algorithm* find(std::string_view name) const {
        const auto rows = all_rows();
        const auto found = std::ranges::find(rows, name, &Algorithm::name);
        return found == rows.end() ? nullptr : &*found;
    }

private:
    AlgorithmFunctions of_block_runs_{.run_cuda = exec::cuda_block_runs_on_voxels(), .label_cuda = exec::cuda_block_runs()};
    std::mutex adding_;
    std::array<Algorithm, 64> rows_;
    std::atomic<std::size_t> count_ = 1;
};

Registry& registry() {
    static Registry rows;
    return rows;
}

}  // namespace

bool Algorithm::is_published() const { return functions->run_cpu != nullptr; }
bool Algorithm::runs_on(Device::Kind device) const { return device == Device::Kind::cpu || functions->run_cuda || functions->label_cuda; }

void add_algorithms(std::span<const Algorithm> algorithms) { registry().add(algorithms); }

std::span<const Algorithm> all_algorithms() { return registry().all_rows(); }

const Algorithm* find_algorithm(std::string_view name) { return registry().find(name); }

bool supports(const Algorithm& algorithm, Connectivity connectivity) {
    return std::find(algorithm.connectivities.begin(), algorithm.connectivities.end(), connectivity) != algorithm.connectivities.end();
}

bool supports(const Algorithm& algorithm, Rule rule) {
    return std::find(algorithm.rules.begin(), algorithm.rules.end(), rule) != algorithm.rules.end();
}

bool supports(const Algorithm& algorithm, Relabel relabel) {
    return relabel == Relabel::marks || std::find(algorithm.functions->relabels.begin(), algorithm.functions->relabels.end(), relabel) !=
                                            algorithm.functions->relabels.end();
}

bool supports(const Algorithm& algorithm, Measure measure) {
    switch (measure) {
        case Measure::early: return algorithm.functions->computes_early;
        case Measure::late_per_voxel: return algorithm.is_published();
        case Measure::analysis: return algorithm.functions->analyses;
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
