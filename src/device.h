// Which algorithm runs where.
#pragma once
#include "kernels3d/registry.h"
#include "src/options.h"

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

/// @param threads of the CPU
/// @throw Error no_device if a device asked for by name is not there: it is never replaced. Error usage if the algorithm does not run
/// there, or does not follow the rule; nor if several devices are asked for what one device does
Choice choose(const LabelOptions& options, int threads);

}  // namespace voxcc
