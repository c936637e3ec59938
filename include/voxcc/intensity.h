// Properties of an intensity image inside each component: mean, standard deviation, minimum, maximum, sum, weighted centroid, the
// positions of the extremes, skewness and kurtosis.
#pragma once
#include <voxcc/power_sums.h>
#include <voxcc/statistics.h>

#include <span>
#include <variant>
#include <vector>

namespace voxcc {

struct Sections;

/// Value of a voxel = stored * slope + intercept.
struct LinearScale {
    double slope = 1, intercept = 0;
};

/// Properties of the scaled values of a component. NaN voxels are left out. All members are NaN or empty if every voxel is NaN. The
/// weighted centroid is NaN if the values add up to zero. Positions in mm are NaN without a World. If a value is infinite, the members that
/// are sums are NaN. Sums are exact: `sum` and `mean` are the nearest doubles, and the others are rounded from 113 bits.
// values 1 and 3 of the voxels (0, 0, 0) and (4, 0, 0)  ->  mean 2, deviation 1, min 1, max 3, sum 4, weighted centroid (3, 0, 0),
//     minimum (0, 0, 0), peak (4, 0, 0), skewness 0, kurtosis -2
struct IntensityProperties {
    static constexpr double none = std::numeric_limits<double>::quiet_NaN();
    double mean = none, standard_deviation = none, min = none, max = none, sum = none;  // standard deviation of the population
    // i j k, weighted by the scaled values. Along periodic axes in [0, extent); NaN along axes that the component wraps around
    std::array<double, 3> weighted_centroid{none, none, none};
    std::array<double, 3> weighted_centroid_mm{none, none, none};  // x y z in mm
    std::optional<std::array<std::int64_t, 3>> minimum, peak;  // i j k of the voxel with the least and the largest value; first of equals
    std::array<double, 3> minimum_mm{none, none, none}, peak_mm{none, none, none};  // x y z in mm
    // Of the population: the third and the fourth central moment in units of the standard deviation, the fourth minus 3 (excess). NaN if
    // all values are equal or one is infinite.
    double skewness = none, kurtosis = none;
};

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

/// The properties of a component. @param wrapping as for describe() in voxcc/statistics.h, for the weighted centroid
template <class Sums>
IntensityProperties describe(const IntensityMoments<Sums>& moments, const LinearScale& scale, const std::optional<World>& world,
                             const Wrapping& wrapping = {});

/// Number, least and largest stored value of the voxels of a component that are not NaN.
struct StoredRange {
    std::uint64_t voxels = 0;
    double least = 0, largest = 0;  // 64-bit integers are rounded to double
};

/// Sums of all components. They are exact, so the results do not depend on the order of the calls. 64-bit integers are rounded to double
/// first. Memory: bytes_per_component(), and for floats and 64-bit integers more_bytes(). add_voxels() is not thread-safe.
class IntensitySums {
public:
    using Moments = std::variant<std::vector<IntensityMoments<IntegerSums>>, std::vector<IntensityMoments<FloatSums>>>;
    struct FirstVoxel {
        std::uint64_t x, y, z;
    };
    /// @param intensity type of the stored values
    explicit IntensitySums(ScalarType intensity);
    /// @param moments of the kind that IntensitySums(intensity) has
    IntensitySums(ScalarType intensity, Moments moments) : type_(intensity), moments_(std::move(moments)) {}
    /// Makes room for the components 1 to `components`, so that adding their voxels allocates no more than more_bytes().
    void reserve(std::uint64_t components);
    std::size_t bytes_per_component() const;
    /// Bytes for components with values of very different exponents: about 200 per component and per 8 exponents (float32: 32).
    std::uint64_t more_bytes() const { return more_bytes_; }
    /// Adds consecutive voxels of a row. The calls may come in any order, but no voxel twice.
    /// @tparam Index std::uint8_t, std::uint16_t, std::uint32_t or std::uint64_t
    /// @param at the indices of the first voxel
    /// @param components component number of each voxel; 0 is background. The table grows to the largest number
    /// @param values must hold components.size() stored values, in host memory; may begin at any byte
    template <class Index>
    void add_voxels(const FirstVoxel& at, std::span<const Index> components, std::span<const std::byte> values);
    /// Adds the voxels of row (y, z): see add_voxels().
    template <class Index>
    void add_row(std::int64_t y, std::int64_t z, std::span<const Index> components, std::span<const std::byte> values) {
        add_voxels({0, std::uint64_t(y), std::uint64_t(z)}, components, values);
    }
    /// Adds the sums of a component of `other` to a component. Both sums must have the same type. Leaves nan_voxels() as it is.
    /// @param by moves the voxels of `other` along x, y and z; each below 2^32
    void add(std::uint64_t component, const IntensitySums& other, std::uint64_t of_other, const std::array<std::int64_t, 3>& by = {});
    /// For sums by section (voxcc/periodic.h): adds the sums of all sections to their components, unwrapped, and removes the sections.
    /// @param extent of the volume, in the axes of the sums
    void unwrap(const Sections& sections, const Extent& extent);
    /// The properties of a component; all NaN if it has no voxels.
    /// @param component number of the component, from 1
    /// @param wrapping see describe()
    IntensityProperties properties(std::uint64_t component, const LinearScale& scale, const std::optional<World>& world,
                                   const Wrapping& wrapping = {}) const;
    /// @param component number of the component, from 1
    StoredRange stored_range(std::uint64_t component) const;
    ScalarType type() const { return type_; }
    /// The sums by component number - 1. May be shorter than the number of components.
    const Moments& moments() const { return moments_; }
    /// The number of voxels of all components whose value is NaN.
    std::uint64_t nan_voxels() const { return nan_voxels_; }

private:
    ScalarType type_;
    Moments moments_;
    std::uint64_t more_bytes_ = 0;
    std::uint64_t nan_voxels_ = 0;
};

}  // namespace voxcc
