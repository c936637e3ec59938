// Measurements for benchmarks.
#include <voxcc/measurements.h>

#include "kernels3d/api/compared_values.h"
#include "kernels3d/api/cuda.h"
#include "kernels3d/api/label.h"
#include "kernels3d/block_runs/tiles/bus_labels.h"

namespace voxcc {

MeasuredRun measure_run(const Algorithm& algorithm, const Device& device, const Extent& extent, Connectivity connectivity,
                        const std::uint8_t* voxels, std::uint32_t* labels, ThreadPool& pool, Measure measure, const RunSettings& settings,
                        const ComparedValues& values) {
    require_rule(algorithm, values.rule, device.kind);
    return run_published(algorithm, device, extent, connectivity, voxels, labels, pool, measure, values_for(values), settings);
}

GpuSlabTimes measure_cuda_slabs(std::span<const int> devices, const Extent& extent, Connectivity connectivity, const std::uint8_t* voxels) {
    return exec::time_cuda_slabs(devices, extent, connectivity, voxels, nullptr);
}

CudaDevice describe_cuda(int device) { return exec::describe_cuda(device); }

double measure_cuda_stream(int device, std::int64_t voxels) { return exec::stream_on_cuda(device, voxels); }

void stream_voxels(ScalarType type, const std::byte* voxels, std::int64_t n, std::uint32_t* labels) {
    visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        block_runs::tiles::copy_labels(reinterpret_cast<const T*>(voxels), n, labels, block_runs::Stores::streaming);
    });
}

}  // namespace voxcc
