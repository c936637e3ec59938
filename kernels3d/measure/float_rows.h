// Adds rows of floats and 64-bit integers to exact sums.
#pragma once
#include <voxcc/power_sums.h>

#include <cstddef>

namespace voxcc {

/// What a row adds to the sums of voxel indices.
struct CountedVoxels {
    std::uint64_t n = 0, x = 0;
};

/// Adds the finite values [first, end) of row (y, z). @return the number of values that are not NaN, and the sum of their x
/// @tparam T float, double, std::int64_t or std::uint64_t
/// @param values of the row; may begin at any byte
template <class T>
CountedVoxels add_floats(FloatSums& sums, const std::byte* values, std::size_t first, std::size_t end, std::uint64_t y, std::uint64_t z);

}  // namespace voxcc
