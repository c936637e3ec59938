// Lists all algorithms with their connectivities, rules and devices.
#include <voxcc/algorithms.h>

#include "kernels3d/algorithms/rows.h"
#include "kernels3d/algorithms/run.h"
#include "kernels3d/cuda.h"
#include "kernels3d/exec/cpu_executor.h"

#include <algorithm>
#include <vector>

namespace voxcc {
namespace {

constexpr std::array all{Connectivity::c6, Connectivity::c18, Connectivity::c26, Connectivity::c4, Connectivity::c8};

/// The connectivities that an algorithm declares; all connectivities if it declares none.
template <class Row>
constexpr std::span<const Connectivity> connectivities_of() {
    if constexpr (requires { Row::connectivities; }) return Row::connectivities;
    else return all;
}

constexpr std::array foreground_only{Rule::foreground};
constexpr std::array foreground_or_equal{Rule::foreground, Rule::equal_values};

/// The rules that an algorithm declares; only Rule::foreground if it declares none.
template <class Row>
constexpr std::span<const Rule> rules_of() {
    if constexpr (requires { Row::rules; }) return Row::rules;
    else return foreground_only;
}

std::vector<AlgorithmRow> make_rows() {
    std::vector<AlgorithmRow> rows{
        {"block-runs", all, foreground_or_equal,
         "voxcc: union-find over runs of block rows (2x2 rows for 26, 2x1 for 18 and 8, single rows for 6 and 4)"}};
    const auto published = algorithms::Rows::map([]<class Row>(Row) {
        return AlgorithmRow{.name = Row::name,
                            .connectivities = connectivities_of<Row>(),
                            .rules = rules_of<Row>(),
                            .source = Row::source,
                            .run_cpu = &algorithms::run<Row, exec::CpuExecutor>,
                            .computes_early = algorithms::ComputesEarly<Row, exec::CpuExecutor>};
    });
    rows.insert(rows.end(), published.begin(), published.end());
    const auto on_cuda = exec::cuda_runs();
    for (std::size_t i = 0; i < on_cuda.size(); ++i) rows[i + 1].run_cuda = on_cuda[i];
    rows[0].label_cuda = exec::cuda_block_runs();
    rows[0].run_cuda = exec::cuda_block_runs_on_voxels();
    return rows;
}

}  // namespace

std::span<const AlgorithmRow> algorithm_rows() {
    static const std::vector<AlgorithmRow> rows = make_rows();
    return rows;
}

const AlgorithmRow* find_algorithm(std::string_view name) {
    const auto rows = algorithm_rows();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const AlgorithmRow& r) { return r.name == name; });
    return row == rows.end() ? nullptr : &*row;
}

bool supports(const AlgorithmRow& row, Connectivity connectivity) {
    return std::find(row.connectivities.begin(), row.connectivities.end(), connectivity) != row.connectivities.end();
}

bool supports(const AlgorithmRow& row, Rule rule) { return std::find(row.rules.begin(), row.rules.end(), rule) != row.rules.end(); }

void require_rule(const AlgorithmRow& row, Rule rule, Device::Kind device) {
    if (supports(row, rule)) return;
    std::string names;
    for (const AlgorithmRow& other : algorithm_rows())
        if (supports(other, rule) && other.runs_on(device)) names += (names.empty() ? "" : ", ") + std::string(other.name);
    throw Error(ErrorKind::unsupported_by_algorithm, "algorithm " + std::string(row.name),
                "does not join voxels by " + std::string(name_of(rule)), names);
}

std::string devices_of(const AlgorithmRow& row) { return row.runs_on(Device::Kind::cuda) ? "cpu cuda" : "cpu"; }

}  // namespace voxcc
