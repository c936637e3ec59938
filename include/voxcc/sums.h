// Integer sums over the voxels of a component.
//
// They are exact and do not depend on the order of summation, so tables are the same for any device, thread count and algorithm.
#pragma once
#include <voxcc/volume.h>

#include <algorithm>

namespace voxcc {

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

/// Sums over the voxels of a component, in 0-based voxel indices. Second moments of type Wide: uint64 holds those of a solid cube of
/// edge 8,884; see second_moments_fit().
template <class Wide>
struct Sums {
    static constexpr std::uint32_t no_index = ~std::uint32_t{0};
    std::uint64_t n = 0, x = 0, y = 0, z = 0;
    Wide xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    std::uint32_t x0 = no_index, y0 = no_index, z0 = no_index, x1 = 0, y1 = 0, z1 = 0;  // bounding box, both ends inside

    template <class Other>
    [[gnu::always_inline]] void add(const Sums<Other>& o) {
        n += o.n, x += o.x, y += o.y, z += o.z;
        xx += o.xx, yy += o.yy, zz += o.zz, xy += o.xy, xz += o.xz, yz += o.yz;
        x0 = std::min(x0, o.x0), y0 = std::min(y0, o.y0), z0 = std::min(z0, o.z0);
        x1 = std::max(x1, o.x1), y1 = std::max(y1, o.y1), z1 = std::max(z1, o.z1);
    }
    /// Those of the same voxels `slices` further up in z; of at least one voxel.
    template <class Other>
    Sums<Other> moved_up(std::uint32_t slices) const {
        Sums<Other> moved;
        moved.add(*this);
        moved.zz += Other(slices) * (Other(2) * z + Other(n) * slices);
        moved.xz += Other(slices) * x, moved.yz += Other(slices) * y;
        moved.z += n * slices;
        moved.z0 += slices, moved.z1 += slices;
        return moved;
    }
    bool operator==(const Sums&) const = default;
};
using WideSums = Sums<uint128>;

/// Whether second moments of any component of such a volume fit 64 bits.
constexpr bool second_moments_fit(const Extent& e) {
    const std::int64_t longest = std::max({e.nx, e.ny, e.nz});
    return uint128(std::uint64_t(e.voxels())) * std::uint64_t(longest) * std::uint64_t(longest) >> 64 == 0;
}

}  // namespace voxcc
