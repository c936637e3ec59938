// Bit operations that CPU threads and CUDA spell differently.
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

/// Place of the lowest bit of w, which is not 0.
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

/// Place of the highest bit of w, which is not 0.
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

/// The columns up to the lowest bit of w, which is not 0.
template <class Word>
VOXCC_HD constexpr Word up_to_lowest(Word w) {
    return w ^ (w - 1);
}
/// Columns 0 to `column` - 1, of which there are fewer than the word has bits.
VOXCC_HD constexpr std::uint64_t columns_before(int column) { return (std::uint64_t{1} << column) - 1; }

/// The first column of every stretch of set bits.
VOXCC_HD constexpr std::uint64_t run_starts(std::uint64_t columns) { return columns & ~(columns << 1); }

}  // namespace voxcc::block_runs::tiles
