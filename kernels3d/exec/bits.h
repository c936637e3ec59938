// Bit operations that are written differently for CPU threads and for CUDA.
#pragma once
#include "kernels3d/base/host_device.h"

#include <bit>
#include <cstdint>

namespace voxcc::exec {

/// Number of set bits.
/// @tparam Word an unsigned integer of 32 or 64 bits, here and below
template <class Word>
VOXCC_HD inline int count_bits(Word w) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Word) == 8) return __popcll(w);
    else return __popc(w);
#else
    return std::popcount(w);
#endif
}

/// Number of zero bits above the highest set bit: the width of the word if w is 0.
template <class Word>
VOXCC_HD inline int leading_zeros(Word w) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Word) == 8) return __clzll(static_cast<long long>(w));
    else return __clz(static_cast<int>(w));
#else
    return std::countl_zero(w);
#endif
}

/// Index of the highest set bit of w; w must not be 0.
template <class Word>
VOXCC_HD inline int highest_bit(Word w) {
    return int(8 * sizeof(Word)) - 1 - leading_zeros(w);
}

/// Index of the lowest set bit of w; w must not be 0.
template <class Word>
VOXCC_HD inline int lowest_bit(Word w) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Word) == 8) return __ffsll(static_cast<long long>(w)) - 1;
    else return __ffs(static_cast<int>(w)) - 1;
#else
    return std::countr_zero(w);
#endif
}

/// Number of zero bits below the lowest set bit: the width of the word if w is 0.
template <class Word>
VOXCC_HD inline int trailing_zeros(Word w) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Word) == 8) return __clzll(static_cast<long long>(__brevll(w)));
    else return __clz(static_cast<int>(__brev(w)));
#else
    return std::countr_zero(w);
#endif
}

/// `sum` plus the products of the bytes of a and b at the same position.
// 0x00000102, 0x00000304, 5 -> 1 * 3 + 2 * 4 + 5 = 16
VOXCC_HD inline std::uint32_t sum_of_products(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
#ifdef __CUDA_ARCH__
    return __dp4a(a, b, sum);
#else
    for (int shift = 0; shift < 32; shift += 8) sum += (a >> shift & 0xff) * (b >> shift & 0xff);
    return sum;
#endif
}

}  // namespace voxcc::exec
