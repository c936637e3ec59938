// Properties of an intensity image inside each component: mean, standard deviation, minimum, maximum, sum, weighted centroid, the
// positions of the extremes, skewness and kurtosis.
#pragma once
#include <voxcc/power_sums.h>
#include <voxcc/statistics.h>

#include <span>
#include <variant>
#include <vector>

namespace voxcc {

/// Value of a voxel = stored * slope + intercept.
struct LinearScale {
    double slope = 1, intercept = 0;
};

/// Properties of the scaled values of a component. NaN voxels are left out. All members are NaN or empty if every voxel is NaN. The
/// weighted centroid is NaN if the values add up to zero. Positions in mm are NaN without a World.
// values 1 and 3 of the voxels (0, 0, 0) and (4, 0, 0)  ->  mean 2, deviation 1, min 1, max 3, sum 4, weighted centroid (3, 0, 0),
//     minimum (0, 0, 0), peak (4, 0, 0), skewness 0, kurtosis -2
struct IntensityProperties {
    static constexpr double none = std::numeric_limits<double>::quiet_NaN();
    double mean = none, standard_deviation = none, min = none, max = none, sum = none;  // standard deviation of the population
    std::array<double, 3> weighted_centroid{none, none, none};                          // i j k, weighted by the scaled values
    std::array<double, 3> weighted_centroid_mm{none, none, none};                       // x y z in mm
    std::optional<std::array<std::int64_t, 3>> minimum, peak;  // i j k of the voxel with the least and the largest value; first of equals
    std::array<double, 3> minimum_mm{none, none, none}, peak_mm{none, none, none};  // x y z in mm
    // Of the population: the third and the fourth central moment in units of the standard deviation, the fourth minus 3 (excess). NaN if
    // all values are equal, or if the fourth powers of the deviations leave the range of doubles.
    double skewness = none, kurtosis = none;
};

/// Sums over the voxels of a component that are not NaN: of the stored values v, the voxel indices x, y, z, and their products.
/// @tparam Sum ExactSum or CompensatedSum
template <class Sum>
struct IntensityMoments {
    std::uint64_t n = 0, x = 0, y = 0, z = 0;
    double min = std::numeric_limits<double>::infinity(), max = -min;  // of the stored values
    std::array<std::uint32_t, 3> min_at{}, max_at{};                   // the first voxels in the order of the calls that have these values
    Sum v, vv, vx, vy, vz;
    HigherPowers<Sum> higher;
};

/// Number, least and largest stored value of the voxels of a component that are not NaN.
struct StoredRange {
    std::uint64_t voxels = 0;
    double least = 0, largest = 0;  // 64-bit integers are rounded to double
};

/// Sums of all components. Integers of 8 to 32 bits are summed exactly. Other types are summed as doubles with compensation, in the order
/// of the calls of add_row(). Calls in raster order therefore always give the same result. The extremes are the first of equals in that
/// order; 64-bit integers are compared as doubles. Memory: bytes_per_component(), about 200 bytes. add_row() is not thread-safe.
class IntensitySums {
public:
    /// @param intensity type of the stored values
    explicit IntensitySums(ScalarType intensity);
    /// Makes room for the components 1 to `components`, so that adding their voxels allocates nothing.
    void reserve(std::uint64_t components);
    std::size_t bytes_per_component() const;
    /// Adds the voxels of row (y, z).
    /// @tparam Index std::uint8_t, std::uint16_t, std::uint32_t or std::uint64_t
    /// @param components component number of each voxel; 0 is background. The table grows to the largest number
    /// @param values must hold components.size() stored values, in host memory; may begin at any byte
    template <class Index>
    void add_row(std::int64_t y, std::int64_t z, std::span<const Index> components, std::span<const std::byte> values);
    /// Whether the sums are exact, so that the results do not depend on the order of the calls except for equal extremes.
    bool are_exact() const { return moments_.index() == 0; }
    /// Adds the sums of rows after all rows of these sums. Both sums must be exact, of the same type.
    /// @param numbers the component of these sums for each component of `other`: entry k - 1 for component k
    void add(const IntensitySums& other, std::span<const std::uint32_t> numbers);
    /// The properties of a component; all NaN if it has no voxels.
    /// @param component number of the component, from 1
    IntensityProperties properties(std::uint64_t component, const LinearScale& scale, const std::optional<World>& world) const;
    /// @param component number of the component, from 1
    StoredRange stored_range(std::uint64_t component) const;
    /// The number of voxels of all components whose value is NaN.
    std::uint64_t nan_voxels() const { return nan_voxels_; }

private:
    ScalarType type_;
    std::variant<std::vector<IntensityMoments<ExactSum>>, std::vector<IntensityMoments<CompensatedSum>>> moments_;
    std::uint64_t nan_voxels_ = 0;
};

}  // namespace voxcc
