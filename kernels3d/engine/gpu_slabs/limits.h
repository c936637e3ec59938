// Limits that callers set for GPU slabs, and times that callers get back.
#pragma once
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

/// Milliseconds of wall-clock time of block-runs, for all devices together.
struct Times {
    double label = 0, paint = 0;  // label includes faces and numbers; paint writes u32 labels 1..K of all voxels to device memory
    std::uint64_t components = 0;
};

}  // namespace voxcc::block_runs::gpu_slabs
