// The host interface to CUDA. A build without CUDA has the same interface: it reports no device and no algorithm for one.
#pragma once
#include <voxcc/device.h>
#include <voxcc/label.h>
#include "kernels3d/api/algorithm_functions.h"
#include "kernels3d/engine/gpu_slabs/limits.h"
#include "kernels3d/exec/executor.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace voxcc::exec {

/// Labels a volume with block-runs on the CUDA devices with these numbers (0-based).
/// @throw what block_runs::label() throws; Error unsupported_by_device for requests that block-runs does not support on CUDA; no_device
using CudaLabel = std::unique_ptr<Labelling> (*)(const block_runs::Request&, RowSource&, ThreadPool&, std::span<const int> devices);
/// Runs an algorithm on voxels that are in the memory of the executor.
using CudaRun = algorithms::Result (*)(CudaExecutor&, const algorithms::Problem&);

/// Block-runs for CUDA; null in a build without CUDA.
CudaLabel cuda_block_runs();
/// Block-runs on voxels that are already on the device, for the bench; null in a build without CUDA.
CudaRun cuda_block_runs_on_voxels();

/// As the function of cuda_block_runs(), but with chosen limits for the GPU slabs; for tests.
/// @param devices may contain a number twice; the slabs of both entries then share this device
std::unique_ptr<Labelling> label_in_cuda_slabs(const block_runs::Request& request, RowSource& source, ThreadPool& pool,
                                               std::span<const int> devices, const block_runs::gpu_slabs::Limits& limits);

/// Times block-runs on a volume that is already in GPU memory, in as few GPU slabs as possible; see engine/gpu_slabs/timing.h.
/// @param voxels [z][y][x] in host memory, 0 is background
/// @param labels [z][y][x] in host memory, receives the labels; null: the labels stay on the devices
/// @throw Error no_device; device_memory if the devices cannot hold all voxels, labels and GPU slabs
block_runs::gpu_slabs::Times time_cuda_slabs(std::span<const int> devices, const Extent& extent, Connectivity connectivity,
                                             const std::uint8_t* voxels, std::uint32_t* labels);

/// Calls work(executor) while the device of a volume is the current device. The executor runs on the stream of the volume, and takes its
/// memory from the pool of label_on_stream().
/// @throw Error no_device; the exceptions of work()
void with_stream_executor(const StreamVolume& volume, const std::function<void(CudaExecutor&)>& work);

/// The reason why the CUDA device with this number is not usable, as text for a message; empty if it is usable.
std::string why_no_cuda(int device);

/// Starts the use of devices; see start_device().
void start_cuda_devices(std::span<const int> devices);

}  // namespace voxcc::exec
