// Comparison of two rows of values by their difference, with one bit per value as the result.
#pragma once
#include "kernels3d/simd/isa.h"

#include <cstdint>

namespace voxcc::block_runs {

/// Bit x of `bits` is set where a[x] and b[x] are equal or differ by at most `most`. Differences of integers are exact, and `most` is
/// rounded down for them. Differences of floats are differences of doubles, rounded to double. A NaN is near no value. Equal infinities
/// are near each other. Thread-safe.
// a = [5 5 7 NaN], b = [5 6 9 NaN], most = 1.5  ->  bits = [1 1 0 0]
/// @tparam T any scalar type of a volume
/// @param most at least 0
/// @param bits receives ceil(n / 64) words; bits from n on are zero
template <class T>
void near_row(Isa isa, const T* a, const T* b, double most, std::int64_t n, std::uint64_t* bits);

}  // namespace voxcc::block_runs
