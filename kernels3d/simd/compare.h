// Rows of values to rows of bits, by comparisons.
#pragma once
#include "kernels3d/simd/isa.h"

#include <cstdint>
#include <span>

namespace voxcc::block_runs {

/// A row to be compared with another: bit x of `bits` (ceil(length / 64) words, bits past length are zero) says whether value x of both is
/// foreground and equal.
template <class T>
struct Comparison {
    const T* with;
    const std::uint64_t* foreground;  // of it, a bit a value
    std::int64_t length;
    std::uint64_t* bits;
};

/// Compares row a with others, as value_bits() does: NaN equals NaN, -0.0 equals 0.0. T: any scalar type of a volume.
/// @param foreground of a, a bit a value
template <class T>
void equal_rows(Isa isa, const T* a, const std::uint64_t* foreground, std::span<const Comparison<T>> others);

/// Bit x of `bits` (ceil(nx / 64) words, bits past nx are zero) says whether low <= v[x] && v[x] <= high; never for NaN.
template <class T>
void within_row(Isa isa, const T* v, T low, T high, std::int64_t nx, std::uint64_t* bits);

}  // namespace voxcc::block_runs
