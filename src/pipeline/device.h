// Which algorithm runs where.
#pragma once
#include <voxcc/algorithms.h>
#include "src/cli/options.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace voxcc {

struct Choice {
    const AlgorithmRow* row = nullptr;
    Device device;
    std::string text;  // "cpu, block-runs (avx512), 8 threads"
    std::string why;   // why --device auto chose it; empty where the user did
};

/// How foreground voxels join.
Rule rule_of(const LabelOptions& options);

/// From how many voxels on, in all files of a run together, a GPU labels sooner than so many CPU threads, its start included; nothing
/// where that never is. Reading and writing files takes as long with both. Measured: docs/performance.md, "Which device".
std::optional<std::int64_t> voxels_worth_a_gpu(int threads);

/// @param threads of the CPU
/// @param voxels counts those of all inputs; called only where that decides
/// @throw Error no_device if a device asked for by name is not there: it is never replaced. Error invalid_argument if the algorithm does
/// not run there, or does not follow the rule; nor if several devices are asked for what one device does
Choice choose(const LabelOptions& options, int threads, const std::function<std::int64_t()>& voxels);

}  // namespace voxcc
