// What is known of a component: integer sums over its voxels, and the properties that follow from them.
#pragma once
#include "kernels3d/measure/compact_sums.h"

#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace voxcc {

/// The sums of all components, row k - 1 for label k.
class SumTable {
public:
    SumTable() = default;
    explicit SumTable(std::vector<Sums<std::uint64_t>> rows) : rows_(std::move(rows)) {}
    explicit SumTable(std::vector<WideSums> rows) : rows_(std::move(rows)) {}
    explicit SumTable(CompactSums<std::uint64_t> rows) : rows_(std::move(rows)) {}
    explicit SumTable(CompactSums<uint128> rows) : rows_(std::move(rows)) {}
    std::size_t size() const {
        return std::visit([](const auto& rows) { return rows.size(); }, rows_);
    }
    std::uint64_t voxels(std::size_t row) const {
        return std::visit([row](const auto& rows) { return voxels_of(rows, row); }, rows_);
    }
    WideSums operator[](std::size_t row) const {
        WideSums sums;
        std::visit([&](const auto& rows) { sums.add(rows[row]); }, rows_);
        return sums;
    }

private:
    template <class Wide>
    static std::uint64_t voxels_of(const std::vector<Sums<Wide>>& rows, std::size_t row) {
        return rows[row].n;
    }
    template <class Wide>
    static std::uint64_t voxels_of(const CompactSums<Wide>& rows, std::size_t row) {
        return rows.voxels(row);
    }
    std::variant<std::vector<Sums<std::uint64_t>>, std::vector<WideSums>, CompactSums<std::uint64_t>, CompactSums<uint128>> rows_;
};

/// What the table shows of a component (src/pipeline/component_table.h). Covariance is that of voxel centres over the population.
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
