// Adds blocks of floats with similar exponents to exact sums, with vectors.
#pragma once
#include <voxcc/threads.h>

#include "kernels3d/measure/power_sums.h"

#include <cstddef>
#include <optional>

namespace voxcc {

/// The sums of a block of finite values M 2^unit: of M, of its squares, and of its products with the number of the value in the block.
struct BlockSums {
    int128 v = 0, vx = 0;
    uint128 vv = 0;
    double least = 0, largest = 0;  // of the values
};

constexpr std::size_t most_of_block = 128;  // the sum of their squares is below 2^127

/// The magnitudes M of the values with one unit, apart from 0.
struct UnitRange {
    double least, end;  // least <= |M| < end; end at most 2^60
};

/// @param values `count` values of type T, which may begin at any byte
/// @param count at least 1, at most most_of_block
/// @return empty if a value is not finite, or has another unit
/// @tparam T float, double, std::int64_t or std::uint64_t. 64-bit integers are rounded to double
// {1.5, 0, -3}, unit -1, range [1, 2^60)  ->  M = {3, 0, -6}: v -3, vx -12, vv 45, least -3, largest 1.5
template <class T>
std::optional<BlockSums> sum_block(Isa isa, const std::byte* values, std::size_t count, std::int32_t unit, const UnitRange& range);

}  // namespace voxcc
