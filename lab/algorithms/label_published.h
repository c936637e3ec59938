// Labels volumes with published algorithms, on the CPU and on one CUDA device.
#pragma once
#include <voxcc/device.h>
#include <voxcc/label.h>
#include "kernels3d/engine/request.h"
#include "kernels3d/exec/executor.h"
#include "kernels3d/on_voxels/published_run.h"

namespace voxcc {

/// Runs a published algorithm, or block-runs on one CUDA device, on a volume in host memory. For tests and bench.
/// @param algorithm must support the connectivity
/// @param voxels [z][y][x], 0 is background
/// @param labels [z][y][x], receives 1..K by first voxel. Measure::analysis: not used on a CUDA device; its contents are undefined on the
/// CPU
/// @param values in host memory, for algorithms with rules that compare values
/// @throw Error unsupported_by_algorithm if the algorithm does not compute properties in this way, if it does not support the way of
///              relabelling, or if second moments may not fit into 64 bits (second_moments_fit()); no_device; out_of_memory (host or
///              device)
PublishedRun run_published(const Algorithm& algorithm, const Device& device, const Extent& extent, Connectivity connectivity,
                           const std::uint8_t* voxels, std::uint32_t* labels, ThreadPool& pool,
                           algorithms::Measure measure = algorithms::Measure::none, const algorithms::Values& values = {},
                           const RunSettings& settings = {}, MemoryLimit* memory = nullptr);

/// The function Algorithm::label of all published algorithms.
std::unique_ptr<Labelling> label_published(const Algorithm& algorithm, const Device& device, const block_runs::Request& request,
                                           RowSource& source, ThreadPool& pool);

}  // namespace voxcc
