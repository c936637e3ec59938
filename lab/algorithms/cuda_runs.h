// The published algorithms on CUDA devices. A build without CUDA has the same interface, and none of them.
#pragma once
#include "kernels3d/api/algorithm_functions.h"
#include "kernels3d/on_voxels/published_run.h"

#include <span>

namespace voxcc::exec {

/// Runs an algorithm on voxels that are in the memory of the executor.
using CudaRun = algorithms::Result (*)(CudaExecutor&, const algorithms::Problem&);

/// The published algorithms for CUDA, in the order of algorithms::Published; empty in a build without CUDA.
std::span<const CudaRun> cuda_runs();

/// Copies the voxels to a device, runs an algorithm, and copies properties and labels back.
/// @param host the task with pointers to host memory; if `labels` is null, the labels are not copied
/// @throw Error no_device; out_of_memory; internal, with the name of the phase, if a CUDA call fails
PublishedRun run_on_cuda(CudaRun run, int device, const algorithms::Problem& host, Timing timing, Allocation allocation);

}  // namespace voxcc::exec
