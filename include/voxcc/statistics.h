// What is known of a component: integer sums over its voxels, and the properties that follow from them.
#pragma once
#include <voxcc/sums.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace voxcc {

/// The sums of all components, row k - 1 for label k. A copy shares the rows, which do not change.
class SumTable {
public:
    SumTable() = default;
    /// @param rows Sums in any representation: rows.size(), rows[k] converts to WideSums by add(), and rows.voxels(k) or rows[k].n
    template <class Rows>
    requires requires(const Rows& r) { r[r.size()]; }
    explicit SumTable(Rows rows) : rows_(std::make_shared<const Held<Rows>>(std::move(rows))) {}
    std::size_t size() const { return rows_ ? rows_->size() : 0; }
    std::uint64_t voxels(std::size_t row) const { return rows_->voxels(row); }
    WideSums operator[](std::size_t row) const { return rows_->sums(row); }

private:
    struct AnyRows {
        virtual ~AnyRows() = default;
        virtual std::size_t size() const = 0;
        virtual std::uint64_t voxels(std::size_t row) const = 0;
        virtual WideSums sums(std::size_t row) const = 0;
    };
    template <class Rows>
    struct Held final : AnyRows {
        explicit Held(Rows r) : rows(std::move(r)) {}
        std::size_t size() const override { return rows.size(); }
        std::uint64_t voxels(std::size_t row) const override {
            if constexpr (requires { rows.voxels(row); }) return rows.voxels(row);
            else return rows[row].n;
        }
        WideSums sums(std::size_t row) const override {
            WideSums sums;
            sums.add(rows[row]);
            return sums;
        }
        Rows rows;
    };
    std::shared_ptr<const AnyRows> rows_;
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
