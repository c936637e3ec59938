// Sums over set bits with AVX2: lookups per nibble give sums per byte, then per word and per row.
//
// A column is x = 8 B + b, with byte number B and bit number b. So sum x^2 = 16 (4 sum B^2 + sum B b) + sum b^2. Three numbers per byte
// are enough: the number of set bits, the sum of b, and the sum of b^2. Each of them is the sum of two lookups in a table of 16 entries,
// one lookup per nibble.
#pragma once
#include "kernels3d/simd/column_sums.h"

#ifdef VOXCC_X86
#include <immintrin.h>

namespace voxcc::block_runs {

/// Sums per byte for four words of 64 columns.
struct ByteSums {
    __m256i n, b, bb;  // number of set bits, sum of b, sum of b^2
};

#define VOXCC_AVX2_INLINE [[VOXCC_AVX2, gnu::always_inline]] inline

/// A vector of four copies of v.
VOXCC_AVX2_INLINE __m256i all_words(std::uint64_t v) { return _mm256_set1_epi64x(static_cast<long long>(v)); }

/// Looks up each nibble in a table of 16 entries.
/// @param nibbles bytes of 0 to 15
template <class... Entry>
VOXCC_AVX2_INLINE __m256i by_nibble(__m256i nibbles, Entry... entry) {
    return _mm256_shuffle_epi8(_mm256_setr_epi8(char(entry)..., char(entry)...), nibbles);
}

/// byte 0b00000101 (b = 0, 2)  ->  n = 2, b = 2, bb = 4
VOXCC_AVX2_INLINE ByteSums byte_sums(__m256i bits) {
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i low = _mm256_and_si256(bits, nibble), high = _mm256_and_si256(_mm256_srli_epi16(bits, 4), nibble);
    return {_mm256_add_epi8(by_nibble(low, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4),
                            by_nibble(high, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4)),
            _mm256_add_epi8(by_nibble(low, 0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6, 6),
                            by_nibble(high, 0, 4, 5, 9, 6, 10, 11, 15, 7, 11, 12, 16, 13, 17, 18, 22)),
            _mm256_add_epi8(by_nibble(low, 0, 0, 1, 1, 4, 4, 5, 5, 9, 9, 10, 10, 13, 13, 14, 14),
                            by_nibble(high, 0, 16, 25, 41, 36, 52, 61, 77, 49, 65, 74, 90, 85, 101, 110, 126))};
}

/// The sum of the 8 bytes of each word. Also correct for 16-bit sums below 256.
VOXCC_AVX2_INLINE __m256i word_sums(__m256i bytes) { return _mm256_sad_epu8(bytes, _mm256_setzero_si256()); }

/// The sum of x of each word; x is counted from the first column of the word.
/// @param s must be the sums of one row
VOXCC_AVX2_INLINE __m256i column_sum(const ByteSums& s) {
    const __m256i B = all_words(0x0706050403020100);
    return _mm256_add_epi64(word_sums(s.b), _mm256_slli_epi64(word_sums(_mm256_maddubs_epi16(s.n, B)), 3));
}

/// The sum of x^2 of each word; x is counted from the first column of the word.
/// @param s n and b may be sums over up to four rows; bb must already be summed per word with word_sums()
VOXCC_AVX2_INLINE __m256i square_sum(const ByteSums& s) {
    const __m256i B = all_words(0x0706050403020100), BB = all_words(0x3124191009040100);
    const __m256i pairs = _mm256_add_epi16(_mm256_slli_epi16(_mm256_maddubs_epi16(s.n, BB), 2), _mm256_maddubs_epi16(s.b, B));
    const __m256i halves = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
    const __m256i sums = _mm256_add_epi64(_mm256_srli_epi64(halves, 32), _mm256_and_si256(halves, all_words(0xffffffff)));
    return _mm256_add_epi64(s.bb, _mm256_slli_epi64(sums, 4));
}

/// Returns the four lanes [sum of the lanes of a, of b, of c, of d].
VOXCC_AVX2_INLINE __m256i lane_sums(__m256i a, __m256i b, __m256i c, __m256i d) {
    const __m256i ab = _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    const __m256i cd = _mm256_add_epi64(_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
    return _mm256_add_epi64(_mm256_permute2x128_si256(ab, cd, 0x20), _mm256_permute2x128_si256(ab, cd, 0x31));
}

/// Same as column_sums(). The four lanes hold four successive words of a row. Reads up to three words past the end of each row; they must
/// be readable.
template <int RY, int RZ>
[[VOXCC_AVX2, gnu::noinline]] inline ColumnSums column_sums_avx2(const WordRange& range) {
    constexpr int R = RY * RZ;
    const __m256i zero = _mm256_setzero_si256();
    const __m256i lane = _mm256_setr_epi64x(0, 64, 128, 192), end_lane = all_words(std::uint64_t(range.words - 1) % 4 * 64);
    const __m256i last_words = _mm256_or_si256(_mm256_cmpgt_epi64(end_lane, lane),
                                               _mm256_and_si256(_mm256_cmpeq_epi64(end_lane, lane), all_words(range.last_mask)));
    const __m256i all_ones = all_words(~std::uint64_t{0});
    __m256i mask = _mm256_blend_epi32(all_ones, all_words(range.first_mask), 3), at = lane;
    __m256i n = zero, ny = zero, nz = zero, nyz = zero, x = zero, xy = zero, xz = zero, xx = zero;
    std::int64_t last_word = 0;
    for (std::int64_t w = 0; w < range.words; w += 4, mask = all_ones, at = _mm256_add_epi64(at, all_words(256))) {
        if (w + 4 >= range.words) mask = _mm256_and_si256(mask, last_words);
        __m256i any = zero, w_n = zero, w_ny = zero, w_nz = zero, w_x = zero, w_xy = zero, w_xz = zero;
        ByteSums all{zero, zero, zero};
        for (int r = 0; r < R; ++r) {
            const __m256i row = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(range.rows.bits + r * range.rows.stride + w));
            const __m256i bits = _mm256_and_si256(mask, row);
            const ByteSums bytes = byte_sums(bits);
            const __m256i row_n = word_sums(bytes.n), row_x = column_sum(bytes);
            any = _mm256_or_si256(any, bits);
            w_n = _mm256_add_epi64(w_n, row_n), w_x = _mm256_add_epi64(w_x, row_x);
            if (r % RY) w_ny = _mm256_add_epi64(w_ny, row_n), w_xy = _mm256_add_epi64(w_xy, row_x);
            if (r / RY) w_nz = _mm256_add_epi64(w_nz, row_n), w_xz = _mm256_add_epi64(w_xz, row_x);
            if (r % RY && r / RY) nyz = _mm256_add_epi64(nyz, row_n);
            all.n = _mm256_add_epi8(all.n, bytes.n), all.b = _mm256_add_epi8(all.b, bytes.b);
            all.bb = _mm256_add_epi64(all.bb, word_sums(bytes.bb));
        }
        // Convert sums relative to the word to sums relative to the range.
        const __m256i far_x = _mm256_add_epi64(_mm256_mul_epu32(w_n, at), w_x);
        n = _mm256_add_epi64(n, w_n), x = _mm256_add_epi64(x, far_x);
        xx = _mm256_add_epi64(xx, _mm256_add_epi64(square_sum(all), _mm256_mul_epu32(at, _mm256_add_epi64(far_x, w_x))));
        if (RY == 2) ny = _mm256_add_epi64(ny, w_ny), xy = _mm256_add_epi64(xy, _mm256_add_epi64(_mm256_mul_epu32(w_ny, at), w_xy));
        if (RZ == 2) nz = _mm256_add_epi64(nz, w_nz), xz = _mm256_add_epi64(xz, _mm256_add_epi64(_mm256_mul_epu32(w_nz, at), w_xz));
        const unsigned nonzero = 15u ^ unsigned(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(any, zero))));
        last_word = nonzero ? w + 31 - std::countl_zero(nonzero) : last_word;
    }
    ColumnSums s;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(&s.n), lane_sums(n, ny, nz, nyz));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(&s.x), lane_sums(x, xy, xz, xx));
    s.last = last_word * 64 + 63 - std::countl_zero(range.template columns<R>(last_word));
    return s;
}

/// Same as window_sums(), except that `last` of the result stays 0. The lanes hold the rows. Each lane packs three sums over 64 columns:
/// n from bit 0, x from bit 16, xx from bit 32. So one addition adds three sums of two rows.
template <int RY, int RZ>
[[VOXCC_AVX2]] inline ColumnSums window_sums_avx2(const Window& window) {
    constexpr int R = RY * RZ;
    const auto load = [&](int r) __attribute__((always_inline, target("avx2"))) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(window.rows.bits + (r < R ? r : 0) * window.rows.stride));
    };
    __m256i first = _mm256_zextsi128_si256(_mm_unpacklo_epi64(load(0), load(1)));
    __m256i second = _mm256_zextsi128_si256(_mm_unpackhi_epi64(load(0), load(1)));
    if (R == 4) {
        first = _mm256_inserti128_si256(first, _mm_unpacklo_epi64(load(2), load(3)), 1);
        second = _mm256_inserti128_si256(second, _mm_unpackhi_epi64(load(2), load(3)), 1);
    }
    const __m256i moved = _mm256_or_si256(_mm256_srl_epi64(first, _mm_cvtsi32_si128(window.shift)),
                                          _mm256_sll_epi64(second, _mm_cvtsi32_si128(64 - window.shift)));
    ByteSums bytes = byte_sums(_mm256_and_si256(moved, all_words(window.mask)));
    const __m256i n = word_sums(bytes.n), x = column_sum(bytes);
    bytes.bb = word_sums(bytes.bb);
    const __m256i three = _mm256_or_si256(n, _mm256_or_si256(_mm256_slli_epi64(x, 16), _mm256_slli_epi64(square_sum(bytes), 32)));
    const __m128i low = _mm256_castsi256_si128(three), high = _mm256_extracti128_si256(three, 1);
    std::uint64_t row[4] = {std::uint64_t(_mm_cvtsi128_si64(low))};
    if (R >= 2) row[1] = std::uint64_t(_mm_extract_epi64(low, 1));
    if (R == 4) row[2] = std::uint64_t(_mm_cvtsi128_si64(high)), row[3] = std::uint64_t(_mm_extract_epi64(high, 1));
    const std::uint64_t all = row[0] + row[1] + row[2] + row[3], next_y = RY == 2 ? row[1] + row[3] : 0,
                        next_z = RZ == 2 ? row[RY] + row[3] : 0;
    ColumnSums s;
    s.n = all & 0xffff, s.ny = next_y & 0xffff, s.nz = next_z & 0xffff, s.nyz = row[3] & 0xffff;
    s.x = all >> 16 & 0xffff, s.xy = next_y >> 16 & 0xffff, s.xz = next_z >> 16 & 0xffff, s.xx = all >> 32;
    return s;
}

}  // namespace voxcc::block_runs
#endif
