// What the library and the laboratory must know of an algorithm: see Algorithm in voxcc/device.h.
#pragma once
#include <voxcc/device.h>
#include "kernels3d/engine/request.h"
#include "kernels3d/exec/phases.h"

namespace voxcc {

namespace exec {
class CpuExecutor;
class CudaExecutor;
}  // namespace exec
namespace algorithms {
struct Problem;
struct Result;
}  // namespace algorithms

struct AlgorithmFunctions {
    /// Functions that label voxels in the memory of the device; null if the build or the algorithm does not support the device. block-runs:
    /// run_cpu is null, because it labels row sources.
    algorithms::Result (*run_cpu)(exec::CpuExecutor&, const algorithms::Problem&) = nullptr;
    algorithms::Result (*run_cuda)(exec::CudaExecutor&, const algorithms::Problem&) = nullptr;
    /// Labels the rows of a source on one or more CUDA devices. Only block-runs in a build with CUDA has this function.
    std::unique_ptr<Labelling> (*label_cuda)(const block_runs::Request&, RowSource&, ThreadPool&, std::span<const int>) = nullptr;
    /// Labels the rows of a source. Published algorithms have this function, and block-runs does not.
    std::unique_ptr<Labelling> (*label)(const Algorithm&, const Device&, const block_runs::Request&, RowSource&, ThreadPool&) = nullptr;
    std::span<const Relabel> relabels = {};  // how its roots become labels; empty for block-runs
    bool computes_early = false;             // whether the algorithm can compute properties during labelling (lab/algorithms/early.h)
    bool analyses = false;                   // whether the algorithm can compute sums in place of labels (Measure::analysis)
    bool walks_paths = false;  // whether the number of passes grows with the number of voxels or turns of a path in a component
};

/// Whether the algorithm can replace the roots of its trees by labels in this way. Relabel::marks, the default, is supported by all.
bool supports(const Algorithm& algorithm, Relabel relabel);
/// Whether the algorithm can compute sums in this way.
bool supports(const Algorithm& algorithm, Measure measure);

}  // namespace voxcc
