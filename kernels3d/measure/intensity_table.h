// The sums of IntensitySums, by component.
#pragma once
#include "kernels3d/measure/power_sums.h"

#include <optional>
#include <variant>
#include <vector>

namespace voxcc {

/// Where the extremes of a component are, if it is wanted: x, y, z of the first voxels in raster order with these values.
template <Powers P>
struct ExtremePositions {};
template <>
struct ExtremePositions<Powers::four> {
    std::array<std::uint32_t, 3> min_at{}, max_at{};
};

/// Sums over the voxels of a component that are not NaN: of the stored values, of the voxel indices x, y, z, and of their products.
/// @tparam Sums IntegerSums or FloatSums
template <class Sums>
struct IntensityMoments : ExtremePositions<Sums::powers> {
    static constexpr Powers powers = Sums::powers;
    std::uint64_t n = 0, x = 0, y = 0, z = 0;
    double min = std::numeric_limits<double>::infinity(), max = -min;  // of the stored values
    Sums sums;                                                         // of finite values
    /// Adds the sums of other voxels.
    void add(const IntensityMoments& other);
    /// The sums of the same voxels after a move along x, y and z. The positions of the extremes stay. @param by each below 2^32
    IntensityMoments moved(const std::array<std::int64_t, 3>& by) const;
};

/// The properties of a component. @param wrapping as for describe() in voxcc/measure.h, for the weighted centroid
template <class Sums>
IntensityProperties describe(const IntensityMoments<Sums>& moments, const LinearScale& scale, const std::optional<World>& world,
                             const Wrapping& wrapping = {});

struct IntensitySums::Table {
    /// The sums by component number - 1. May be shorter than the number of components.
    template <template <Powers> class Sums, Powers P>
    using Of = std::vector<IntensityMoments<Sums<P>>>;
    using Moments = std::variant<Of<IntegerSums, Powers::four>, Of<FloatSums, Powers::four>, Of<IntegerSums, Powers::two>,
                                 Of<FloatSums, Powers::two>, Of<IntegerSums, Powers::one>>;

    Table(ScalarType of_values, Powers powers);

    ScalarType type;
    Moments moments;
    /// The unit of small integers (see SmallIntegers) that is tried for the next voxels.
    struct SmallUnit {
        std::optional<std::int32_t> unit;
        std::uint64_t added = 0, refused = 0;  // voxels since the unit was chosen
        int choices_left = 4;                  // each choice costs time, and sums of different units cannot be added to each other
    };
    SmallUnit small;
    std::uint64_t more_bytes = 0;
    std::uint64_t nan_voxels = 0;
};

}  // namespace voxcc
