// The sums of IntensitySums, by component.
#pragma once
#include "kernels3d/measure/power_sums.h"

#include <variant>
#include <vector>

namespace voxcc {

/// Sums over the voxels of a component that are not NaN: of the stored values, of the voxel indices x, y, z, and of their products.
/// @tparam Sums IntegerSums or FloatSums
template <class Sums>
struct IntensityMoments {
    std::uint64_t n = 0, x = 0, y = 0, z = 0;
    double min = std::numeric_limits<double>::infinity(), max = -min;  // of the stored values
    std::array<std::uint32_t, 3> min_at{}, max_at{};                   // x, y, z of the first voxels in raster order with these values
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
    using Moments = std::variant<std::vector<IntensityMoments<IntegerSums>>, std::vector<IntensityMoments<FloatSums>>>;

    explicit Table(ScalarType of_values);

    ScalarType type;
    Moments moments;
    std::uint64_t more_bytes = 0;
    std::uint64_t nan_voxels = 0;
};

}  // namespace voxcc
