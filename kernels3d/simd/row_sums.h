// Sums over the voxels of one component in adjacent columns of a block-row: two columns, up to 64 columns, or a range of words.
//
// AVX-512 uses the versions for AVX2. A window of 2 x 2 rows has four words, so it fills one vector of AVX2. A version of column_sums()
// with eight words per vector was twice as fast on 16 words (26 against 48 ns), but not on volumes. The sums of blobs (512^3, 50 %, 26
// neighbours) took 4.2 ms of processor time instead of 3.5 ms (AMD EPYC, Zen 5, 2026-11-23).
#pragma once
#include "kernels3d/simd/byte_sums.h"
#include "kernels3d/simd/column_sums.h"

namespace voxcc::block_runs {

/// Sums of the voxels of two adjacent columns, without a loop or a branch. The caller sets the bounding box along x.
template <int RY, int RZ>
VOXCC_INLINE NearSums sums_of_two_columns(const Window& window) {
    unsigned voxels = 0, next_x = 0, next_y = 0, next_z = 0;  // two bits per row: all voxels, and the bits with x, y or z = 1
    for (int r = 0; r < RY * RZ; ++r) {
        voxels |= unsigned(window.row(r)) << 2 * r;
        next_x |= 2u << 2 * r;
        if (r % RY) next_y |= 3u << 2 * r;
        if (r / RY) next_z |= 3u << 2 * r;
    }
    const auto count = [voxels](unsigned of) { return std::popcount(voxels & of); };
    NearSums s;  // coordinates are 0 or 1, so the moments are counts
    s.n = std::popcount(voxels);
    s.x = s.xx = count(next_x), s.y = s.yy = count(next_y), s.z = s.zz = count(next_z);
    s.xy = count(next_x & next_y), s.xz = count(next_x & next_z), s.yz = count(next_y & next_z);
    s.y0 = RY == 2 && s.y == s.n, s.y1 = s.y != 0;
    s.z0 = RZ == 2 && s.z == s.n, s.z1 = s.z != 0;
    return s;
}

/// Calls f(first column, number of columns) for each stretch of set bits.
template <class F>
VOXCC_INLINE void for_each_stretch(std::uint64_t bits, const F& f) {
    while (bits) {
        const std::uint64_t filled = bits + (bits & -bits);  // the addition clears the lowest stretch and sets the bit above it
        f(std::uint64_t(std::countr_zero(bits)), std::uint64_t(std::popcount(bits & ~filled)));
        bits &= filled;
    }
}

template <int RY, int RZ>
VOXCC_INLINE ColumnSums window_sums(const Window& window, Isa isa) {
#ifdef VOXCC_X86
    if (isa != Isa::portable) return window_sums_avx2<RY, RZ>(window);
#else
    (void)isa;
#endif
    ColumnSums s;
    for (int r = 0; r < RY * RZ; ++r) for_each_stretch(window.row(r), [&](std::uint64_t a, std::uint64_t n) { s.add<RY>(r, a, n); });
    return s;
}

template <int RY, int RZ>
VOXCC_INLINE ColumnSums column_sums(const WordRange& range, Isa isa) {
#ifdef VOXCC_X86
    if (isa != Isa::portable) return column_sums_avx2<RY, RZ>(range);
#else
    (void)isa;
#endif
    ColumnSums s;
    for (int r = 0; r < RY * RZ; ++r)
        for (std::int64_t w = 0; w < range.words; ++w) {
            const std::uint64_t bits = range.rows.bits[r * range.rows.stride + w] & range.mask(w);
            for_each_stretch(bits, [&](std::uint64_t a, std::uint64_t n) { s.add<RY>(r, std::uint64_t(w) * 64 + a, n); });
        }
    return s;
}

}  // namespace voxcc::block_runs
