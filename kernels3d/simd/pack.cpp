// pack_row() for each instruction set.
#include "kernels3d/simd/simd.h"

#include <algorithm>
#include <cstring>
#ifdef VOXCC_X86
#include <immintrin.h>
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

void pack_portable(const uint8_t* flags, std::int64_t nx, uint64_t* bits) {
    std::int64_t x = 0;
    for (; x + 64 <= nx; x += 64) {
        uint64_t word = 0;
        for (int i = 0; i < 64; i += 8) {
            uint64_t v = 0;
            for (int b = 7; b >= 0; --b) v = v << 8 | flags[x + i + b];  // compiles to one load on little-endian machines
            v = ((((v & 0x7f7f7f7f7f7f7f7f) + 0x7f7f7f7f7f7f7f7f) | v) >> 7) &
                0x0101010101010101;                     // sets bit 0 of each byte that is not zero
            word |= v * 0x0102040810204080 >> 56 << i;  // gathers these eight bits
        }
        bits[x / 64] = word;
    }
    pack_tail(flags, x, nx, bits);
}

#ifdef VOXCC_X86
[[VOXCC_AVX2]] uint64_t nonzero_32(const uint8_t* p) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return std::uint32_t(~_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())));
}
[[VOXCC_AVX2]] void pack_avx2(const uint8_t* flags, std::int64_t nx, uint64_t* bits) {
    std::int64_t x = 0;
    for (; x + 64 <= nx; x += 64) bits[x / 64] = nonzero_32(flags + x) | nonzero_32(flags + x + 32) << 32;
    pack_tail(flags, x, nx, bits);
}
[[VOXCC_AVX512]] void pack_avx512(const uint8_t* flags, std::int64_t nx, uint64_t* bits) {
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
#endif

}  // namespace

void pack_row(Isa isa, const uint8_t* flags, std::int64_t nx, uint64_t* bits) {
#ifdef VOXCC_X86
    if (isa == Isa::avx512) return pack_avx512(flags, nx, bits);
    if (isa == Isa::avx2) return pack_avx2(flags, nx, bits);
#endif
    (void)isa;
    pack_portable(flags, nx, bits);
}

}  // namespace voxcc::block_runs
