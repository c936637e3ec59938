// Integer sums over the voxels of a component: its moments and its bounding box.
//
// The sums are exact and do not depend on the order of summation. Every device, thread count and algorithm gives the same table.
#pragma once
#include <voxcc/int128.h>
#include <voxcc/moments.h>
#include <voxcc/volume.h>

#include <algorithm>
#include <array>

namespace voxcc {

/// Widens the bounding box x0, ..., z1 of `to` so that it contains the bounding box of `o`.
template <class To, class From>
[[gnu::always_inline]] inline void widen_box(To& to, const From& o) {
    to.x0 = std::min(to.x0, o.x0), to.y0 = std::min(to.y0, o.y0), to.z0 = std::min(to.z0, o.z0);
    to.x1 = std::max(to.x1, o.x1), to.y1 = std::max(to.y1, o.y1), to.z1 = std::max(to.z1, o.z1);
}

/// Sums over the voxels of a component, in 0-based voxel indices.
/// @tparam Wide type of the second moments. 64 bits hold the second moments of a solid cube of 8884^3 voxels; see second_moments_fit()
// voxels = (1, 0, 4), (2, 0, 4)  ->  n 2, x 3, xx 5, ..., box x 1..2, y 0..0, z 4..4
template <class Wide>
struct Sums : Moments<std::uint64_t, Wide> {
    static constexpr std::uint32_t no_index = ~std::uint32_t{0};
    std::uint32_t x0 = no_index, y0 = no_index, z0 = no_index, x1 = 0, y1 = 0, z1 = 0;  // bounding box, both ends inclusive

    /// Merges the sums of other voxels into these sums.
    template <class Other>
    [[gnu::always_inline]] void add(const Sums<Other>& o) {
        *this += o;
        widen_box(*this, o);
    }
    /// The sums of the same voxels after a move by `slices` along z. There must be at least one voxel.
    template <class Other>
    Sums<Other> moved_up(std::uint32_t slices) const {
        return {this->template as<std::uint64_t, Other>().shifted(0, 0, slices), x0, y0, z0 + slices, x1, y1, z1 + slices};
    }
    bool operator==(const Sums&) const = default;
};
using WideSums = Sums<uint128>;

/// The sums of the same voxels after a move along x, y and z. There must be at least one voxel.
// box x 1..2 moved by {10, 0, 0}  ->  box x 11..12
inline WideSums moved(const WideSums& s, const std::array<std::int64_t, 3>& by) {
    const auto x = std::uint32_t(by[0]), y = std::uint32_t(by[1]), z = std::uint32_t(by[2]);
    return {s.as<uint128>().shifted(x, y, z).as<std::uint64_t, uint128>(), s.x0 + x, s.y0 + y, s.z0 + z, s.x1 + x, s.y1 + y, s.z1 + z};
}

/// Whether the second moments of every component in a volume of this extent are certain to fit into 64 bits: voxels * longest^2 < 2^64,
/// where `longest` is the number of voxels along the longest axis.
// {512, 512, 512} -> true; {8000, 8000, 8000} -> false
constexpr bool second_moments_fit(const Extent& e) {
    const std::int64_t longest = std::max({e.nx, e.ny, e.nz});
    return uint128(std::uint64_t(e.voxels())) * std::uint64_t(longest) * std::uint64_t(longest) >> 64 == 0;
}

}  // namespace voxcc
