// Limits that callers set for GPU slabs, and times that callers get back.
#pragma once
#include <voxcc/measurements.h>

#include <cstdint>
#include <limits>

namespace voxcc::block_runs::gpu_slabs {

/// Where labelled slabs stay. `kept`: on their devices. `one_at_a_time`: a device keeps only the slab that was used last, and labels
/// other slabs again when they are needed. `automatic`: kept if the slabs fit into device memory, else one_at_a_time.
enum class Residency : std::uint8_t { automatic, kept, one_at_a_time };

/// Limits of the plan. The default is as few slabs as possible.
struct Limits {
    std::int64_t most_slices = std::numeric_limits<std::int64_t>::max();  // per slab; a layer of tiles is never cut
    Residency residency = Residency::automatic;
};

using Times = GpuSlabTimes;

}  // namespace voxcc::block_runs::gpu_slabs
