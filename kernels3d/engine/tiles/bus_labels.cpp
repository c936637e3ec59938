#include "kernels3d/engine/tiles/bus_labels.h"

namespace voxcc::block_runs::tiles {

void copy_bus_labels(const std::byte* from, int from_bytes, std::int64_t n, std::byte* to, int to_bytes, Stores stores) {
    visit_bus_label(from_bytes, [&]<class Narrow> {
        visit_label(to_bytes, [&]<class Label> {
            if constexpr (sizeof(Narrow) <= sizeof(Label))
                copy_labels(reinterpret_cast<const Narrow*>(from), n, reinterpret_cast<Label*>(to), stores);
        });
    });
}

}  // namespace voxcc::block_runs::tiles
