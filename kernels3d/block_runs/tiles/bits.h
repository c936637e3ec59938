// Bit operations for which CPU and CUDA code differ.
#pragma once
#include <voxcc/host_device.h>

#include <bit>
#include <cstdint>

namespace voxcc::block_runs::tiles {

VOXCC_HD inline int count_bits(std::uint32_t w) {
#ifdef __CUDA_ARCH__
    return __popc(w);
#else
    return std::popcount(w);
#endif
}
VOXCC_HD inline int count_bits(std::uint64_t w) {
#ifdef __CUDA_ARCH__
    return __popcll(w);
#else
    return std::popcount(w);
#endif
}

/// Index of the lowest set bit of w, which must not be 0.
VOXCC_HD inline int lowest_bit(std::uint32_t w) {
#ifdef __CUDA_ARCH__
    return __ffs(int(w)) - 1;
#else
    return std::countr_zero(w);
#endif
}
VOXCC_HD inline int lowest_bit(std::uint64_t w) {
#ifdef __CUDA_ARCH__
    return __ffsll(static_cast<long long>(w)) - 1;
#else
    return std::countr_zero(w);
#endif
}

/// Index of the highest set bit of w, which must not be 0.
VOXCC_HD inline int highest_bit(std::uint32_t w) {
#ifdef __CUDA_ARCH__
    return 31 - __clz(int(w));
#else
    return 31 - std::countl_zero(w);
#endif
}
VOXCC_HD inline int highest_bit(std::uint64_t w) {
#ifdef __CUDA_ARCH__
    return 63 - __clzll(static_cast<long long>(w));
#else
    return 63 - std::countl_zero(w);
#endif
}

/// The columns up to and including the lowest set bit of w, which must not be 0.
/// w = [0 0 1 0 1]  ->  [1 1 1 0 0]
template <class Word>
VOXCC_HD constexpr Word up_to_lowest(Word w) {
    return w ^ (w - 1);
}
/// The columns 0 to `column` - 1. `column` must be less than 64.
VOXCC_HD constexpr std::uint64_t columns_before(int column) { return (std::uint64_t{1} << column) - 1; }

/// The first column of each stretch of set bits.
/// columns = [0 1 1 0 1]  ->  [0 1 0 0 1]
VOXCC_HD constexpr std::uint64_t run_starts(std::uint64_t columns) { return columns & ~(columns << 1); }

}  // namespace voxcc::block_runs::tiles
