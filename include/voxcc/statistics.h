// The properties of components, computed from integer sums over their voxels.
#pragma once
#include <voxcc/axis.h>
#include <voxcc/sums.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace voxcc {

/// The sums of all components; row k - 1 for label k. The rows do not change. A copy shares them. Thread-safe.
///
/// In a periodic volume, the sums of a component are the sums of the unwrapped component: see voxcc/periodic.h. Its bounding box starts
/// inside the volume, and may end outside.
class SumTable {
public:
    SumTable() = default;
    /// @param rows sums in any representation with rows.size(), rows[k] as an argument of WideSums::add(), and rows.voxels(k) or rows[k].n;
    ///     rows.wraps(k) if components may wrap around axes
    template <class Rows>
    requires requires(const Rows& r) { r[r.size()]; }
    explicit SumTable(Rows rows) : rows_(std::make_shared<const Held<Rows>>(std::move(rows))) {}
    std::size_t size() const { return rows_ ? rows_->size() : 0; }
    std::uint64_t voxels(std::size_t row) const { return rows_->voxels(row); }
    WideSums operator[](std::size_t row) const { return rows_->sums(row); }
    /// The periodic axes around which a component reaches completely: a path in the component leads around the axis, back to its start.
    /// The sums of indices along these axes are sums of the stored indices, and have no meaning.
    AxisSet wraps(std::size_t row) const { return rows_->wraps(row); }

private:
    struct AnyRows {
        virtual ~AnyRows() = default;
        virtual std::size_t size() const = 0;
        virtual std::uint64_t voxels(std::size_t row) const = 0;
        virtual WideSums sums(std::size_t row) const = 0;
        virtual AxisSet wraps(std::size_t row) const = 0;
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
        AxisSet wraps(std::size_t row) const override {
            if constexpr (requires { rows.wraps(row); }) return rows.wraps(row);
            else return {};
        }
        Rows rows;
    };
    std::shared_ptr<const AnyRows> rows_;
};

/// The properties of a component, as in the table (src/pipeline/component_table.h). Values that depend on an axis in `wraps` do not exist:
/// they are NaN. These are the centroid and the covariances along the axis, the positions and covariances in mm to which the axis
/// contributes, and the axes, elongation and flatness.
struct Properties {
    std::uint64_t voxels = 0;
    std::array<double, 3> centroid{};    // i j k, in 0-based voxel indices; along periodic axes in [0, extent)
    std::array<std::int64_t, 6> box{};   // i_min i_max j_min j_max k_min k_max, inclusive. Along periodic axes, the end may be outside
    std::array<double, 6> covariance{};  // ii ij ik jj jk kk, of the voxel centres (population: divided by the number of voxels)
    bool has_world = false;              // false: without a World; the members from volume_mm3 to flatness are 0
    double volume_mm3 = 0;
    std::array<double, 3> centroid_mm{};     // x y z in mm
    std::array<double, 6> covariance_mm2{};  // xx xy xz yy yz zz
    std::array<double, 3> axes_mm{};         // standard deviations along the principal axes in mm, largest first
    double elongation = 0, flatness = 0;     // axis2 / axis1 and axis3 / axis1, in [0, 1]: 1 is round, 0 is flat; 0 for a single voxel
    bool touches_border = false;
    AxisSet wraps{};  // see SumTable::wraps(). Along these axes, `box` is the complete extent
};

/// Maps voxel indices to positions in mm. The affine must be finite and must not be singular.
struct World {
    std::array<std::array<double, 4>, 3> affine{};  // rows x, y, z; columns i, j, k and the translation
};

/// @param index i j k, in voxels
/// @return x y z, in mm
// affine {{2, 0, 0, 10}, {0, 2, 0, 0}, {0, 0, 3, 0}}, index (1, 0, 2)  ->  (12, 0, 6)
std::array<double, 3> world_position(const World& world, const std::array<double, 3>& index);

/// Whether the bounding box reaches a face of the volume. An axis of extent 1 has no faces.
// box x 0..3, y 2..5, z 0..0 in {10, 10, 1} -> true, because x 0 is a face
bool touches_border(const WideSums& sums, const Extent& extent);

/// How a component lies in a periodic volume.
struct Wrapping {
    std::array<std::int64_t, 3> period{};  // voxels after which the volume repeats along x, y and z; 0: it does not repeat
    AxisSet wraps{};                       // of the component: see SumTable::wraps()
};

/// A position along an axis in [0, period); if the period is 0, the position itself.
// 21.5, 20 -> 1.5
double in_period(double position, std::int64_t period);

/// Computes the properties of a component.
/// @param sums sums of a component with at least one voxel
/// @param extent extent of the volume, for touches_border; 1 along periodic axes
/// @param world empty if the affine is singular or not finite
// the voxels (3, 0, 0) and (3, 1, 0)  ->  centroid (3, 0.5, 0), covariance jj 0.25
// unwrapped x 18..21, period 20  ->  centroid x 19.5
Properties describe(const WideSums& sums, const Extent& extent, const std::optional<World>& world, const Wrapping& wrapping = {});

/// The position in mm of a point that has no indices along some axes: NaN where such an axis contributes.
/// @param index i j k, in voxels; the indices along `missing` are not used
// affine {{2, 0, 0, 10}, {0, 2, 0, 0}, {0, 0, 3, 0}}, index (1, 0, 2), missing x  ->  (NaN, 0, 6)
std::array<double, 3> world_position(const World& world, std::array<double, 3> index, const AxisSet& missing);

}  // namespace voxcc
