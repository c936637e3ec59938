#include "kernels3d/registry.h"

#include <algorithm>

namespace voxcc {
namespace {

constexpr std::array all{Connectivity::c6, Connectivity::c18, Connectivity::c26, Connectivity::c4, Connectivity::c8};

constexpr std::array<AlgorithmRow, 1> table{{
    {"block-runs", all, "cpu", "voxcc: union-find over runs of block rows (2x2 rows for 26, 2x1 for 18 and 8, single rows for 6 and 4)"},
}};

}  // namespace

std::span<const AlgorithmRow> algorithms() { return table; }

const AlgorithmRow* find_algorithm(std::string_view name) {
    const auto row = std::find_if(table.begin(), table.end(), [&](const AlgorithmRow& r) { return r.name == name; });
    return row == table.end() ? nullptr : &*row;
}

bool supports(const AlgorithmRow& row, Connectivity connectivity) {
    return std::find(row.connectivities.begin(), row.connectivities.end(), connectivity) != row.connectivities.end();
}

}  // namespace voxcc
