// The labelling algorithms of this build: one explicit table, from which --algorithm, `voxcc algorithms`, tests and bench follow.
#pragma once
#include "kernels3d/connectivity.h"

#include <span>
#include <string_view>

namespace voxcc {

struct AlgorithmRow {
    std::string_view name;
    std::span<const Connectivity> connectivities;
    std::string_view devices;  // separated by spaces
    std::string_view source;   // where it was published
};

/// The default comes first.
std::span<const AlgorithmRow> algorithms();

/// @return null if there is no such row
const AlgorithmRow* find_algorithm(std::string_view name);

bool supports(const AlgorithmRow& row, Connectivity connectivity);

}  // namespace voxcc
