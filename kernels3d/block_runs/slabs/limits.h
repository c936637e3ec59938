// What is asked of the cut of a volume into slabs.
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

}  // namespace voxcc::block_runs::slabs
