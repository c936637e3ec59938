// Measurements of block-runs for benchmarks.
#include "kernels3d/api/measurements.h"

#include "kernels3d/api/cuda.h"
#include "kernels3d/engine/tiles/bus_labels.h"

namespace voxcc {

GpuSlabTimes measure_cuda_slabs(std::span<const int> devices, const Extent& extent, Connectivity connectivity, const std::uint8_t* voxels) {
    return exec::time_cuda_slabs(devices, extent, connectivity, voxels, nullptr);
}

void stream_voxels(ScalarType type, const std::byte* voxels, std::int64_t n, std::uint32_t* labels) {
    visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        block_runs::tiles::copy_labels(reinterpret_cast<const T*>(voxels), n, labels, Stores::streaming);
    });
}

}  // namespace voxcc
