// Adds runs of floats and 64-bit integers to exact sums.
#pragma once
#include "kernels3d/measure/power_sums.h"

#include <cstddef>
#include <optional>

namespace voxcc {

/// Consecutive voxels of a row.
struct ValueRun {
    const std::byte* values;  // may begin at any byte
    std::size_t count;
    std::uint64_t x, y, z;  // of the first voxel
    std::uint64_t sum_of_x() const { return count * x + count * (count - 1) / 2; }
};

/// What a run adds to the sums of voxel indices.
struct CountedVoxels {
    std::uint64_t n = 0, x = 0;
};

/// Adds the finite values of a run. @return the number of values that are not NaN, and the sum of their x
/// @tparam T float, double, std::int64_t or std::uint64_t
template <class T, Powers P>
CountedVoxels add_floats(FloatSums<P>& sums, const ValueRun& run);

/// Adds one value, which is faster than a run of one.
/// @param run one value
/// @return false, and nothing is added, if the value is not finite, 0 or subnormal
/// @tparam T as for add_floats()
template <class T>
bool add_value(FloatSums<Powers::two>& sums, const ValueRun& run);

struct ValueExtremes {
    double least, largest;
};

/// Adds a run of values with one unit, which is several times as fast as add_floats(). Long runs are added with vectors.
/// @param run at most most_of_block values
/// @return the extremes; empty, and nothing is added, if a value is not finite or the values have different units
/// @tparam T as for add_floats()
template <class T>
std::optional<ValueExtremes> add_block(FloatSums<Powers::two>& sums, const ValueRun& run);

}  // namespace voxcc
