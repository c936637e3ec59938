// Block-runs on CUDA: the tile engine on CUDA executors, in one piece or in slabs. The instances for equal values are in cuda_values.cu, so
// that both files compile side by side.
#include "kernels3d/api/cuda.h"
#include "kernels3d/api/cuda_measures.h"
#include "kernels3d/api/tiles_on_voxels.h"
#include "kernels3d/engine/gpu_slabs/slab_labelling.h"
#include "kernels3d/engine/gpu_slabs/timing.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/exec/cuda_executor.h"

namespace voxcc::block_runs::gpu_slabs {

VOXCC_LABEL_SLABS_OF_RULE(extern template, equal_values, exec::CudaExecutor)

}  // namespace voxcc::block_runs::gpu_slabs

namespace voxcc::exec {
namespace {

using block_runs::gpu_slabs::Limits;

/// Makes the executor of devices[d]. Slices go from each device to the next, and from the last device in use to the first. So this device
/// is connected with the device before and with the first device.
std::unique_ptr<CudaExecutor> executor_of(std::span<const int> devices, std::size_t d) {
    use_cuda_device(devices[d]);
    if (d > 0) {
        connect_cuda_devices(devices[d - 1], devices[d]);
        connect_cuda_devices(devices[d], devices.front());
    }
    return std::make_unique<CudaExecutor>();
}

std::unique_ptr<Labelling> label(const block_runs::Request& request, RowSource& source, ThreadPool& pool, std::span<const int> devices) {
    return label_in_cuda_slabs(request, source, pool, devices, {});
}

}  // namespace

CudaLabel cuda_block_runs() { return &label; }
CudaRun cuda_block_runs_on_voxels() { return &block_runs::tiles::run<CudaExecutor>; }

std::unique_ptr<Labelling> label_in_cuda_slabs(const block_runs::Request& request, RowSource& source, ThreadPool& pool,
                                               std::span<const int> devices, const Limits& limits) {
    const auto make = [devices](std::size_t d) { return executor_of(devices, d); };
    return block_runs::gpu_slabs::label_in_slabs<CudaExecutor>(request, source, pool, devices.size(), make, limits);
}

block_runs::gpu_slabs::Times time_cuda_slabs(std::span<const int> devices, const Extent& extent, Connectivity connectivity,
                                             const std::uint8_t* voxels, std::uint32_t* labels) {
    std::vector<std::unique_ptr<CudaExecutor>> executors;
    for (std::size_t d = 0; d < devices.size(); ++d) executors.push_back(executor_of(devices, d));
    const std::vector<CudaExecutor*> pointers = block_runs::gpu_slabs::pointers_to(executors);
    const Limits limits{.residency = block_runs::gpu_slabs::Residency::kept};
    return visit_connectivity(reduced(connectivity, extent), [&]<Connectivity K> {
        auto plan = block_runs::gpu_slabs::plan_slabs<K>(extent, std::int64_t(devices.size()), ~std::size_t{0}, limits);
        return block_runs::gpu_slabs::time_slabs<K>(pointers, extent, std::move(plan), voxels, labels);
    });
}

}  // namespace voxcc::exec
