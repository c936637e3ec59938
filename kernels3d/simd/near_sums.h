// Sums of a few voxels, relative to a place near them, in small integers.
#pragma once
#include <voxcc/measure.h>

#include <cstdint>

namespace voxcc {

/// A voxel, by its indices.
struct Place {
    std::uint32_t x = 0, y = 0, z = 0;
};

/// Sums in coordinates relative to a place near the voxels, for example over a window of 64 columns of a block-row.
struct NearSums : Moments<std::int32_t> {
    static constexpr std::int32_t most = 31;  // voxels of a small row; 127 would fit, but more additions are faster with full sums
    static constexpr std::int32_t far = 64;   // shifts up to this distance cannot overflow
    std::int32_t x0 = 0, y0 = 0, z0 = 0, x1 = 0, y1 = 0, z1 = 0;  // bounding box, both ends inclusive

    /// The sums of the same voxels relative to the place at distance (dx, dy, dz) before the old place; each distance is at most `far`.
    [[gnu::always_inline]] NearSums seen_from(std::int32_t dx, std::int32_t dy, std::int32_t dz) const {
        return {shifted(dx, dy, dz), x0 + dx, y0 + dy, z0 + dz, x1 + dx, y1 + dy, z1 + dz};
    }
    /// Merges the sums of other voxels, relative to the same place, into these sums.
    [[gnu::always_inline]] void add(const NearSums& o) {
        *this += o;
        widen_box(*this, o);
    }
    /// The sums in voxel indices. @param at their place
    template <class Wide>
    [[gnu::always_inline]] Sums<Wide> at(const Place& at) const {
        return {as<Wide>().shifted(at.x, at.y, at.z).template as<std::uint64_t, Wide>(),
                at.x + std::uint32_t(x0),
                at.y + std::uint32_t(y0),
                at.z + std::uint32_t(z0),
                at.x + std::uint32_t(x1),
                at.y + std::uint32_t(y1),
                at.z + std::uint32_t(z1)};
    }
    /// The inverse of at(): the sums relative to the first corner of the bounding box.
    /// @param sums of voxels that are at most `far` from the corner along each axis
    template <class Wide>
    static NearSums near_corner(const Sums<Wide>& sums) {
        const Wide X = sums.x0, Y = sums.y0, Z = sums.z0;
        return {sums.template as<Wide>().shifted(-X, -Y, -Z).template as<std::int32_t>(),
                0,
                0,
                0,
                std::int32_t(sums.x1 - sums.x0),
                std::int32_t(sums.y1 - sums.y0),
                std::int32_t(sums.z1 - sums.z0)};
    }
};

}  // namespace voxcc
