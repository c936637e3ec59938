// Adds runs of floats and 64-bit integers to exact sums.
#pragma once
#include "kernels3d/measure/power_sums.h"

#include <cstddef>

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
template <class T>
CountedVoxels add_floats(FloatSums& sums, const ValueRun& run);

}  // namespace voxcc
