// Comparisons of rows of values, with one bit per value as the result.
#pragma once
#include "kernels3d/simd/isa.h"

#include <cstdint>
#include <span>

namespace voxcc::block_runs {

/// The second row of a comparison, and the place for the result. Bit x of `bits` is set where value x of both rows is foreground and the
/// two values are equal. `bits` receives ceil(length / 64) words; bits from `length` on are zero.
/// a = [5 5 7 NaN], with = [5 6 7 NaN], all foreground  ->  bits = [1 0 1 1]
template <class T>
struct Comparison {
    const T* with;
    const std::uint64_t* foreground;  // of the row `with`, one bit per value
    std::int64_t length;              // number of values to compare; the first row must hold at least as many
    std::uint64_t* bits;
};

/// Compares row `a` with each of the rows `others`. Equality is defined by value_bits(): NaN equals NaN, and -0.0 equals 0.0.
/// Thread-safe.
/// @tparam T any scalar type of a volume
/// @param foreground of row `a`, one bit per value
template <class T>
void equal_rows(Isa isa, const T* a, const std::uint64_t* foreground, std::span<const Comparison<T>> others);

/// Bit x of `bits` is set where low <= v[x] && v[x] <= high. A NaN is never within bounds. Thread-safe.
/// @tparam T any scalar type of a volume
/// @param bits receives ceil(nx / 64) words; bits from nx on are zero
template <class T>
void within_row(Isa isa, const T* v, T low, T high, std::int64_t nx, std::uint64_t* bits);

/// The number of NaN in a row of nx values, which may begin at any byte. Thread-safe.
/// @tparam T float or double
template <class T>
std::int64_t count_nan(Isa isa, const T* row, std::int64_t nx);

}  // namespace voxcc::block_runs
