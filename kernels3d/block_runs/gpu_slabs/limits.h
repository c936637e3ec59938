// What callers of slabs ask for and learn.
#pragma once
#include <cstdint>
#include <limits>

namespace voxcc::block_runs::slabs {

/// Whether all slabs stay on their devices, or each device holds the last one that it was asked for and labels others again.
enum class Residency : std::uint8_t { automatic, kept, one_at_a_time };

/// By themselves there are as few slabs as can be, and they are kept where they fit.
struct Limits {
    std::int64_t most_slices = std::numeric_limits<std::int64_t>::max();  // of a slab; a layer of tiles is never cut
    Residency residency = Residency::automatic;
};

/// Milliseconds of the host's clock, all devices together.
struct Times {
    double label = 0, paint = 0;  // with faces and numbers; u32 labels 1..K of all voxels, into the devices' memory
    std::uint64_t components = 0;
};

}  // namespace voxcc::block_runs::slabs
