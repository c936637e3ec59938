// Vectors of doubles, which are loaded from values of any type.
#pragma once
#include "kernels3d/simd/isa.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace voxcc {

constexpr std::size_t lanes = 4;  // with 8, the sums of short runs take longer
typedef double Doubles __attribute__((vector_size(lanes * sizeof(double))));
typedef std::int64_t Words __attribute__((vector_size(lanes * sizeof(std::int64_t))));

/// @param values `lanes` values of type T, which may begin at any byte
template <class T>
VOXCC_INLINE Doubles load_doubles(const std::byte* values) {
    typedef T Values __attribute__((vector_size(lanes * sizeof(T))));
    Values v;
    std::memcpy(&v, values, sizeof v);
    return __builtin_convertvector(v, Doubles);
}

/// A number 1.5 * 2^(52 + bits). If it is added to d, and subtracted again, d is rounded to a multiple of 2^bits.
/// @param bits at least 0. d must be below 2^(51 + bits)
VOXCC_INLINE double rounding_number(int bits) { return 1.5 * double(std::uint64_t{1} << 52) * double(std::uint64_t{1} << bits); }

}  // namespace voxcc
