#include "kernels3d/engine/slab_faces.h"

#include "kernels3d/base/near_values.h"

namespace voxcc::block_runs {

bool FaceRule::connects(const SlabFace& below, std::size_t from, const SlabFace& above, std::size_t to) const {
    const std::uint32_t a = below.numbers[from], b = above.numbers[to];
    if (a == 0 || b == 0) return false;
    switch (rule_) {
        case Rule::equal_values: return below.values[a - 1] == above.values[b - 1];
        case Rule::gradient: {
            const auto bytes = std::size_t(size_of(type_));
            return is_near_stored(type_, below.stored.data() + from * bytes, above.stored.data() + to * bytes, most_);
        }
        default: return true;
    }
}

}  // namespace voxcc::block_runs
