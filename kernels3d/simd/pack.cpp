// pack_rows() for each instruction set.
#include <voxcc/source.h>
#include "kernels3d/simd/simd.h"

#include <algorithm>
#include <cstring>
#ifdef VOXCC_X86
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace voxcc::block_runs {
namespace {

using std::uint64_t;
using std::uint8_t;

void pack_tail(const uint8_t* flags, std::int64_t from, std::int64_t nx, uint64_t* bits) {
    for (std::int64_t x = from; x < nx; x += 64) {
        uint64_t word = 0;
        for (std::int64_t i = std::min<std::int64_t>(nx - x, 64); i-- > 0;) word = word << 1 | (flags[x + i] != 0);
        bits[x / 64] = word;
    }
}

// Bit i is set if byte i of 64 bytes is not zero.
#if defined(VOXCC_X86)
uint64_t nonzero_64(const uint8_t* p) {  // SSE2 is part of x86-64
    uint64_t zero = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
        zero |= uint64_t(unsigned(_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128())))) << 16 * i;
    }
    return ~zero;
}
#elif defined(__ARM_NEON) && defined(__aarch64__)
uint64_t nonzero_64(const uint8_t* p) {  // NEON is part of 64-bit ARM
    const uint8x16_t bit_of_lane = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    uint8x16_t bits[4];
    for (int i = 0; i < 4; ++i) {
        const uint8x16_t v = vld1q_u8(p + 16 * i);
        bits[i] = vandq_u8(vtstq_u8(v, v), bit_of_lane);
    }
    // Each pairwise addition halves the number of bytes. After three additions, each byte holds the bits of eight voxels.
    const uint8x16_t four = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(four, four)), 0);
}
#else
uint64_t nonzero_64(const uint8_t* p) {
    uint64_t word = 0;
    for (int i = 64; i-- > 0;) word = word << 1 | (p[i] != 0);
    return word;
}
#endif

void pack_portable(const FlagRows& rows, std::int64_t nx, uint64_t* bits) {
    const uint8_t* flags = rows.first;
    for (std::int64_t row = 0; row < rows.count; ++row, flags += rows.stride, bits += words_of(nx)) {
        std::int64_t x = 0;
        for (; x + 64 <= nx; x += 64) bits[x / 64] = nonzero_64(flags + x);
        pack_tail(flags, x, nx, bits);
    }
}

#ifdef VOXCC_X86
[[VOXCC_AVX2]] uint64_t nonzero_32(const uint8_t* p) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return std::uint32_t(~_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())));
}
/// The bits of the columns from x to nx - 1 of a row of at least 32 columns. There must be 1 to 63.
[[VOXCC_AVX2]] uint64_t last_columns(const uint8_t* flags, std::int64_t x, std::int64_t nx) {
    const std::int64_t n = nx - x;
    const uint64_t last_32 = nonzero_32(flags + nx - 32);
    if (n <= 32) return last_32 >> (32 - n);
    return nonzero_32(flags + x) | last_32 << (n - 32);
}
[[VOXCC_AVX2]] void pack_avx2(const FlagRows& rows, std::int64_t nx, uint64_t* bits) {
    const uint8_t* flags = rows.first;
    for (std::int64_t row = 0; row < rows.count; ++row, flags += rows.stride, bits += words_of(nx)) {
        std::int64_t x = 0;
        for (; x + 64 <= nx; x += 64) bits[x / 64] = nonzero_32(flags + x) | nonzero_32(flags + x + 32) << 32;
        if (nx < 32) pack_tail(flags, x, nx, bits);
        else if (x < nx) bits[x / 64] = last_columns(flags, x, nx);
    }
}
[[VOXCC_AVX512]] void pack_avx512(const FlagRows& rows, std::int64_t nx, uint64_t* bits) {
    const uint8_t* flags = rows.first;
    for (std::int64_t row = 0; row < rows.count; ++row, flags += rows.stride, bits += words_of(nx)) {
        std::int64_t x = 0;
        for (; x + 64 <= nx; x += 64) {
            const __m512i v = _mm512_loadu_si512(flags + x);
            bits[x / 64] = _mm512_test_epi8_mask(v, v);
        }
        if (x < nx) {
            const __m512i v = _mm512_maskz_loadu_epi8(~uint64_t{0} >> (64 - (nx - x)), flags + x);
            bits[x / 64] = _mm512_test_epi8_mask(v, v);
        }
    }
}
#endif

}  // namespace

void pack_rows(Isa isa, const FlagRows& rows, std::int64_t nx, uint64_t* bits) {
#ifdef VOXCC_X86
    if (isa == Isa::avx512) return pack_avx512(rows, nx, bits);
    if (isa == Isa::avx2) return pack_avx2(rows, nx, bits);
#endif
    (void)isa;
    pack_portable(rows, nx, bits);
}

}  // namespace voxcc::block_runs
