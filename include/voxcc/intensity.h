// What an intensity image is like inside each component.
#pragma once
#include <voxcc/statistics.h>

#include <variant>
#include <vector>

namespace voxcc {

/// Value of a voxel = stored * slope + intercept.
struct LinearScale {
    double slope = 1, intercept = 0;
};

/// Of the scaled values of a component's voxels that are not NaN. A member that does not exist (no such voxel, weights that add up to
/// zero, no world) is NaN.
struct IntensityProperties {
    static constexpr double none = std::numeric_limits<double>::quiet_NaN();
    double mean = none, standard_deviation = none, min = none, max = none, sum = none;  // the deviation is that of the population
    std::array<double, 3> weighted_centroid{none, none, none};                          // i j k, weighted by the scaled values
    std::array<double, 3> weighted_centroid_mm{none, none, none};                       // x y z
};

/// A sum of integers of up to 32 bits and of their products with each other or indices, without rounding.
struct ExactSum {
    int128 value = 0;
    void add(std::int64_t v) { value += v; }
    void add(const ExactSum& other) { value += other.value; }
    void add_product(std::int64_t a, std::int64_t b) { value += int128(a) * b; }
    void add_product(const ExactSum& a, std::int64_t b) { value += a.value * b; }
};

/// A sum of doubles and of their products as if in twice the precision (Ogita, Rump, Oishi 2005: Sum2 and Dot2).
struct CompensatedSum {
    double value = 0, rest = 0;
    void add(double v);
    void add(const CompensatedSum& other);
    void add_product(double a, double b);
    void add_product(const CompensatedSum& a, double b);
};

/// Sums over the values v of a component, and over the places of the voxels that have one.
template <class Sum>
struct IntensityMoments {
    std::uint64_t n = 0, x = 0, y = 0, z = 0;
    double min = std::numeric_limits<double>::infinity(), max = -min;
    Sum v, vv, vx, vy, vz;
};

/// Sums of all components. Integers of 8 to 32 bits add up exactly, all others as doubles with compensation, in the order of the calls:
/// rows in raster order give the same result for any slab size. 128 bytes a component.
class IntensitySums {
public:
    explicit IntensitySums(ScalarType intensity);
    /// @param components nx numbers, 0 is background; the table grows to the largest
    /// @param values nx voxels of the type of the constructor
    /// Index is std::uint8_t, 16, 32 or 64.
    template <class Index>
    void add_row(std::int64_t y, std::int64_t z, std::span<const Index> components, std::span<const std::byte> values);
    /// @param component from 1
    IntensityProperties properties(std::uint64_t component, const LinearScale& scale, const std::optional<World>& world) const;
    /// Voxels of components that were left out because their value is NaN.
    std::uint64_t nan_voxels() const { return nan_voxels_; }

private:
    ScalarType type_;
    std::variant<std::vector<IntensityMoments<ExactSum>>, std::vector<IntensityMoments<CompensatedSum>>> moments_;
    std::uint64_t nan_voxels_ = 0;
};

}  // namespace voxcc
