// column_sums() with AVX-512. byte_sums.h explains the lookups per nibble. Here, eight successive words of a row are in one vector, masks
// select the words of the range, and one instruction counts the bits of bytes or words.
//
// 2 x 2 rows of 16 words take 26 ns, with AVX2 48 ns. Rows of up to 4 words take 16 ns with both (AMD EPYC, Zen 5, 2026-11-23). A window of
// 64 columns has at most four words, so window_sums() has no version for AVX-512.
#include "kernels3d/simd/row_sums.h"

#ifdef VOXCC_X86
namespace voxcc::block_runs {
namespace {

#define VOXCC_AVX512_INLINE [[VOXCC_AVX512, gnu::always_inline]] inline

/// Sums per byte for eight words of 64 columns.
struct WideByteSums {
    __m512i n, b, bb;  // number of set bits, sum of b, sum of b^2
};

VOXCC_AVX512_INLINE __m512i eight_words(std::uint64_t v) { return _mm512_set1_epi64(static_cast<long long>(v)); }

/// Looks up each nibble in a table of 16 entries.
/// @param nibbles bytes of 0 to 15
VOXCC_AVX512_INLINE __m512i by_nibble(__m512i nibbles, const NibbleTable& table) {
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(table.entries))), nibbles);
}

VOXCC_AVX512_INLINE WideByteSums byte_sums(__m512i bits) {
    const __m512i nibble = _mm512_set1_epi8(15);
    const __m512i low = _mm512_and_si512(bits, nibble), high = _mm512_and_si512(_mm512_srli_epi16(bits, 4), nibble);
    return {_mm512_popcnt_epi8(bits), _mm512_add_epi8(by_nibble(low, sums_of_low_bits), by_nibble(high, sums_of_high_bits)),
            _mm512_add_epi8(by_nibble(low, squares_of_low_bits), by_nibble(high, squares_of_high_bits))};
}

VOXCC_AVX512_INLINE __m512i word_sums(__m512i bytes) { return _mm512_sad_epu8(bytes, _mm512_setzero_si512()); }

/// See column_sum() in byte_sums.h.
VOXCC_AVX512_INLINE __m512i column_sum(const WideByteSums& s) {
    const __m512i B = eight_words(byte_numbers);
    return _mm512_add_epi64(word_sums(s.b), _mm512_slli_epi64(word_sums(_mm512_maddubs_epi16(s.n, B)), 3));
}

/// See square_sum() in byte_sums.h.
VOXCC_AVX512_INLINE __m512i square_sum(const WideByteSums& s) {
    const __m512i B = eight_words(byte_numbers), BB = eight_words(squares_of_byte_numbers);
    const __m512i pairs = _mm512_add_epi16(_mm512_slli_epi16(_mm512_maddubs_epi16(s.n, BB), 2), _mm512_maddubs_epi16(s.b, B));
    const __m512i halves = _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
    const __m512i sums = _mm512_add_epi64(_mm512_srli_epi64(halves, 32), _mm512_and_si512(halves, eight_words(0xffffffff)));
    return _mm512_add_epi64(s.bb, _mm512_slli_epi64(sums, 4));
}

VOXCC_AVX512_INLINE std::uint64_t sum_of_words(__m512i v) { return std::uint64_t(_mm512_reduce_add_epi64(v)); }

}  // namespace

template <int RY, int RZ>
ColumnSums column_sums_avx512(const WordRange& range) {
    constexpr int R = RY * RZ;
    const __m512i zero = _mm512_setzero_si512();
    __m512i at = _mm512_setr_epi64(0, 64, 128, 192, 256, 320, 384, 448);  // first column of each word
    __m512i n = zero, ny = zero, nz = zero, nyz = zero, x = zero, xy = zero, xz = zero, xx = zero;
    std::int64_t last_word = 0;
    for (std::int64_t w = 0; w < range.words; w += 8, at = _mm512_add_epi64(at, eight_words(512))) {
        const std::int64_t left = range.words - w;
        const auto inside = __mmask8(left >= 8 ? 0xff : (1 << left) - 1);
        __m512i mask = eight_words(~std::uint64_t{0});
        if (w == 0) mask = _mm512_mask_mov_epi64(mask, 1, eight_words(range.first_mask));
        if (left <= 8) mask = _mm512_mask_and_epi64(mask, __mmask8(1 << (left - 1)), mask, eight_words(range.last_mask));
        __m512i any = zero, w_n = zero, w_ny = zero, w_nz = zero, w_x = zero, w_xy = zero, w_xz = zero;
        WideByteSums all{zero, zero, zero};
        for (int r = 0; r < R; ++r) {
            const __m512i bits = _mm512_and_si512(mask, _mm512_maskz_loadu_epi64(inside, range.rows.bits + r * range.rows.stride + w));
            const WideByteSums bytes = byte_sums(bits);
            const __m512i row_n = _mm512_popcnt_epi64(bits), row_x = column_sum(bytes);
            any = _mm512_or_si512(any, bits);
            w_n = _mm512_add_epi64(w_n, row_n), w_x = _mm512_add_epi64(w_x, row_x);
            if (r % RY) w_ny = _mm512_add_epi64(w_ny, row_n), w_xy = _mm512_add_epi64(w_xy, row_x);
            if (r / RY) w_nz = _mm512_add_epi64(w_nz, row_n), w_xz = _mm512_add_epi64(w_xz, row_x);
            if (r % RY && r / RY) nyz = _mm512_add_epi64(nyz, row_n);
            all.n = _mm512_add_epi8(all.n, bytes.n), all.b = _mm512_add_epi8(all.b, bytes.b);
            all.bb = _mm512_add_epi64(all.bb, word_sums(bytes.bb));
        }
        // Convert sums relative to the word to sums relative to the range.
        const __m512i far_x = _mm512_add_epi64(_mm512_mul_epu32(w_n, at), w_x);
        n = _mm512_add_epi64(n, w_n), x = _mm512_add_epi64(x, far_x);
        xx = _mm512_add_epi64(xx, _mm512_add_epi64(square_sum(all), _mm512_mul_epu32(at, _mm512_add_epi64(far_x, w_x))));
        if (RY == 2) ny = _mm512_add_epi64(ny, w_ny), xy = _mm512_add_epi64(xy, _mm512_add_epi64(_mm512_mul_epu32(w_ny, at), w_xy));
        if (RZ == 2) nz = _mm512_add_epi64(nz, w_nz), xz = _mm512_add_epi64(xz, _mm512_add_epi64(_mm512_mul_epu32(w_nz, at), w_xz));
        const unsigned nonzero = _mm512_test_epi64_mask(any, any);
        last_word = nonzero ? w + 31 - std::countl_zero(nonzero) : last_word;
    }
    ColumnSums s;
    s.n = sum_of_words(n), s.ny = sum_of_words(ny), s.nz = sum_of_words(nz), s.nyz = sum_of_words(nyz);
    s.x = sum_of_words(x), s.xy = sum_of_words(xy), s.xz = sum_of_words(xz), s.xx = sum_of_words(xx);
    s.last = last_word * 64 + 63 - std::countl_zero(range.template columns<R>(last_word));
    return s;
}

template ColumnSums column_sums_avx512<1, 1>(const WordRange&);
template ColumnSums column_sums_avx512<2, 1>(const WordRange&);
template ColumnSums column_sums_avx512<2, 2>(const WordRange&);

}  // namespace voxcc::block_runs
#endif
