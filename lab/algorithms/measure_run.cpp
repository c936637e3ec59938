// Measures one run of an algorithm, for benchmarks.
#include "kernels3d/api/measurements.h"

#include "lab/algorithms/compared_values.h"
#include "lab/algorithms/label_published.h"

namespace voxcc {

MeasuredRun measure_run(const Algorithm& algorithm, const Device& device, const Extent& extent, Connectivity connectivity,
                        const std::uint8_t* voxels, std::uint32_t* labels, ThreadPool& pool, Measure measure, const RunSettings& settings,
                        const ComparedValues& values) {
    require_rule(algorithm, values.rule, device.kind);
    return run_published(algorithm, device, extent, connectivity, voxels, labels, pool, measure, values_for(values), settings);
}

}  // namespace voxcc
