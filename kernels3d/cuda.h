// What the host side knows of CUDA; also in a build without it, where there is no device and no algorithm runs on one.
#pragma once
#include <voxcc/labelling.h>
#include "kernels3d/algorithms/published_run.h"
#include "kernels3d/block_runs/gpu_slabs/limits.h"
#include "kernels3d/exec/executor.h"

#include <memory>
#include <span>
#include <string>

namespace voxcc::exec {

class CudaExecutor;
/// Block-runs on CUDA devices of these numbers. @throw as block_runs::label() does; Error usage for what it does not do there; no_device
using CudaLabel = std::unique_ptr<block_runs::Labelling> (*)(const block_runs::Request&, block_runs::RowSource&, ThreadPool&,
                                                             std::span<const int> devices);
using CudaRun = algorithms::Result (*)(CudaExecutor&, const algorithms::Problem&);

/// The published algorithms on CUDA, in the order of algorithms::Rows; empty in a build without CUDA.
std::span<const CudaRun> cuda_runs();

/// Null in a build without CUDA.
CudaLabel cuda_block_runs();
/// The same on voxels that are on the device, for the bench.
CudaRun cuda_block_runs_on_voxels();

/// The same, cut as asked; for tests. A number may come twice: then slabs of several devices share one.
std::unique_ptr<block_runs::Labelling> label_in_cuda_slabs(const block_runs::Request& request, block_runs::RowSource& source,
                                                           ThreadPool& pool, std::span<const int> devices,
                                                           const block_runs::slabs::Limits& limits);

/// Block-runs on a volume that lies in slabs in the memory of its devices, one a device; see slabs/timing.h.
/// @param voxels [z][y][x] on the host, foreground is what is not 0
/// @param labels as many; null: they stay on the devices
/// @throw Error no_device; out_of_memory; usage where the volume takes more than a slab a device
block_runs::slabs::Times time_cuda_slabs(std::span<const int> devices, const Extent& extent, Connectivity connectivity,
                                         const std::uint8_t* voxels, std::uint32_t* labels);

/// Why there is no usable CUDA device of this number, in words; empty if there is one.
std::string why_no_cuda(int device);

struct CudaDevice {
    std::string name, driver, runtime;  // versions as "13.0"
};
/// @throw Error no_device
CudaDevice describe_cuda(int device);

/// The least that labelling must do: reads as many u8 as there are voxels and writes a u32 for each, in memory of the device that is there
/// before. @return device milliseconds, by events. @throw as run_on_cuda
double stream_on_cuda(int device, std::int64_t voxels);

/// Copies voxels to the device, runs, and copies labels back if `labels` is not null, and properties; host pointers.
/// @throw Error no_device; out_of_memory; internal with the phase's name where a CUDA call fails
PublishedRun run_on_cuda(CudaRun run, int device, const algorithms::Problem& host, Timing timing);

}  // namespace voxcc::exec
