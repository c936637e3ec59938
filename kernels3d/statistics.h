// What is known of a component: integer sums over its voxels, and the properties that follow from them.
//
// Sums are exact and do not depend on the order of summation, so tables are the same for any device, thread count and algorithm.
#pragma once
#include "kernels3d/volume.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

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

/// The sums of all components, row k - 1 for label k. 104 bytes a component, 152 if the volume needs 128-bit moments.
class SumTable {
public:
    SumTable() = default;
    explicit SumTable(std::vector<Sums<std::uint64_t>> rows) : narrow_(std::move(rows)) {}
    explicit SumTable(std::vector<WideSums> rows) : wide_(std::move(rows)) {}
    std::size_t size() const { return narrow_.size() + wide_.size(); }
    std::uint64_t voxels(std::size_t row) const { return wide_.empty() ? narrow_[row].n : wide_[row].n; }
    WideSums operator[](std::size_t row) const {
        if (!wide_.empty()) return wide_[row];
        WideSums sums;
        sums.add(narrow_[row]);
        return sums;
    }

private:
    std::vector<Sums<std::uint64_t>> narrow_;
    std::vector<WideSums> wide_;
};

/// What the table shows of a component (interface.md). Covariance is that of voxel centres over the population.
struct Properties {
    std::uint64_t voxels = 0;
    std::array<double, 3> centroid{};    // i j k
    std::array<std::int64_t, 6> box{};   // i_min i_max j_min j_max k_min k_max, inclusive
    std::array<double, 6> covariance{};  // ii ij ik jj jk kk
    bool has_world = false;              // the members below are meaningful: the affine is finite and not singular
    double volume_mm3 = 0;
    std::array<double, 3> centroid_mm{};     // x y z
    std::array<double, 6> covariance_mm2{};  // xx xy xz yy yz zz
    std::array<double, 3> axes_mm{};         // standard deviations along the principal axes, largest first
    double elongation = 0, flatness = 0;     // axis2 / axis1, axis3 / axis1: 1 is round, 0 flat; 0 for a single voxel
    bool touches_border = false;
};

/// Maps voxel indices to mm. Without a value (singular or not finite) the world columns do not exist.
struct World {
    std::array<std::array<double, 4>, 3> affine{};  // rows x y z, columns i j k 1
};

/// @return x y z of voxel index i j k
std::array<double, 3> world_position(const World& world, const std::array<double, 3>& index);

/// Whether the bounding box reaches a face of the volume; axes of extent 1 have no faces.
bool touches_border(const WideSums& sums, const Extent& extent);

/// @param sums of a component with at least one voxel
/// @param extent of the volume, for touches_border (axes of extent 1 have no border: a 2D image touches at its edges only)
Properties describe(const WideSums& sums, const Extent& extent, const std::optional<World>& world);

}  // namespace voxcc
