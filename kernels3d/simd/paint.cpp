// paint_rows() without branches per voxel. A popcount gives the number of runs that start in the word up to a column. This number selects
// the label of the run.
#include "kernels3d/simd/paint_words.h"

#include <algorithm>
#include <array>
#include <bit>
#ifdef VOXCC_X86
#include <immintrin.h>
#endif

namespace voxcc::block_runs {
namespace {

using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

#ifdef VOXCC_X86
// Byte j of entry b is the number of set bits among the bits 0 to j of b.
constexpr std::array<uint64_t, 256> counts_up_to = [] {
    std::array<uint64_t, 256> t{};
    for (unsigned b = 0; b < 256; ++b)
        for (unsigned j = 0; j < 8; ++j) t[b] |= uint64_t(std::popcount(b & ((2u << j) - 1))) << 8 * j;
    return t;
}();

// The labels of 64 voxels as 8 vectors of u32. Every output type uses this form.
struct LabelWord {
    __m256i eight[8];
};

[[VOXCC_AVX2, gnu::always_inline]] inline __m256i load_eight(const uint32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
[[VOXCC_AVX2, gnu::always_inline]] inline __m256i load_eight(const uint16_t* p) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
[[VOXCC_AVX2, gnu::always_inline]] inline __m256i load_eight(const uint8_t* p) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}

template <Stores stores>
[[VOXCC_AVX2, gnu::always_inline]] inline void store(__m256i* to, __m256i v) {
    if constexpr (stores == Stores::streaming) _mm256_stream_si256(to, v);
    else _mm256_storeu_si256(to, v);
}

template <Stores stores, class T>
[[VOXCC_AVX2, gnu::always_inline]] inline void store_word(T* out, const LabelWord& word) {
    auto* const to = reinterpret_cast<__m256i*>(out);
    const __m256i* const v = word.eight;
    if constexpr (sizeof(T) == 4) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) store<stores>(to + i, v[i]);
    } else if constexpr (sizeof(T) == 2) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i)
            store<stores>(to + i, _mm256_permute4x64_epi64(_mm256_packus_epi32(v[2 * i], v[2 * i + 1]), 0b11'01'10'00));
    } else {
        const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // a pack instruction writes the low halves of both inputs first
#pragma GCC unroll 2
        for (int i = 0; i < 2; ++i) {
            const __m256i* const from = v + 4 * i;
            const __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(from[0], from[1]), _mm256_packus_epi32(from[2], from[3]));
            store<stores>(to + i, _mm256_permutevar8x32_epi32(bytes, order));
        }
    }
}

// 64 bits as lane masks. lanes(i) returns 8 lanes; lane j is all ones if bit 8 * i + j is set, otherwise all zeros.
struct BitWord {
    __m256i low, high;

    [[VOXCC_AVX2, gnu::always_inline]] explicit BitWord(uint64_t bits)
        : low(_mm256_set1_epi32(int(bits))), high(_mm256_set1_epi32(int(bits >> 32))) {}
    [[VOXCC_AVX2, gnu::always_inline]] __m256i lanes(int i) const {
        const int first = 1 << 8 * (i % 4);
        const __m256i bit = _mm256_setr_epi32(first, first << 1, first << 2, first << 3, first << 4, first << 5, first << 6, first << 7);
        return _mm256_cmpeq_epi32(_mm256_and_si256(i < 4 ? low : high, bit), bit);
    }
};

[[VOXCC_AVX2, gnu::always_inline]] inline LabelWord labels_of_one_run(uint32_t label) {
    LabelWord word;
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) word.eight[i] = _mm256_set1_epi32(int(label));
    return word;
}

// The labels of a word in which columns of one run may be followed by columns of a second run.
// @param bits foreground of the word
// @param later columns that get `later_label`; all other foreground columns get `label`
[[VOXCC_AVX2, gnu::always_inline]] inline LabelWord labels_of_two_runs(uint64_t bits, uint64_t later, uint32_t label,
                                                                       uint32_t later_label) {
    const __m256i first = _mm256_set1_epi32(int(label)), second = _mm256_set1_epi32(int(later_label));
    const BitWord foreground(bits), from(later);
    LabelWord word;
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) word.eight[i] = _mm256_and_si256(_mm256_blendv_epi8(first, second, from.lanes(i)), foreground.lanes(i));
    return word;
}

// The labels of a word in which any number of runs may start.
// @param bits foreground of the word
// @param starts columns in which a run starts, without column 0
// @param run label of the run at column 0, then the labels of the later runs; 8 labels from any run on must be readable
template <class T>
[[VOXCC_AVX2, gnu::always_inline]] inline LabelWord labels_of_many_runs(uint64_t bits, uint64_t starts, const T* run) {
    const BitWord foreground(bits);
    LabelWord word;
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
        uint32_t here = uint32_t(starts >> 8 * i) & 0xff;
        run += here & 1;  // after this at most 7 runs follow, so all labels fit the 8 lanes of the permutation
        here &= ~1u;
        const __m256i which = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(counts_up_to[here])));
        word.eight[i] = _mm256_and_si256(_mm256_permutevar8x32_epi32(load_eight(run), which), foreground.lanes(i));
        run += std::popcount(here);
    }
    return word;
}

// Most words of smooth volumes are empty, belong to one run, or contain at most one start. These words take the fast branches.
template <Stores stores, class T, class Id>
[[VOXCC_AVX2]] void paint_words_avx2(PaintRow<Id> row, const T* label, int64_t words, T* out) {
    for (int64_t w = 0; w < words; ++w, out += 64) {
        const uint64_t bits = row.bits[w], starts = row.starts[w] & ~uint64_t{1};
        const T* const run = label + row.before[w] + (row.starts[w] & 1);  // label of the run at column 0
        const bool empty = bits == 0, full_of_one_run = (~bits | starts) == 0;
        if (empty || full_of_one_run) store_word<stores>(out, labels_of_one_run(empty ? 0 : run[0]));
        else if ((starts & (starts - 1)) == 0) store_word<stores>(out, labels_of_two_runs(bits, 0 - starts, run[0], run[1]));
        else store_word<stores>(out, labels_of_many_runs(bits, starts, run));
    }
}

template <class T, class Id>
[[VOXCC_AVX2]] void paint_avx2(std::span<const PaintRow<Id>> rows, const T* label, int64_t nx, T* out, Stores stores) {
    const int64_t words = nx / 64;
    for (const PaintRow<Id>& row : rows) {
        if (stores == Stores::streaming && reinterpret_cast<std::uintptr_t>(out) % 32 == 0)
            paint_words_avx2<Stores::streaming>(row, label, words, out);
        else paint_words_avx2<Stores::cached>(row, label, words, out);
        if (nx % 64) {
            alignas(32) T last[64];
            paint_words_avx2<Stores::cached>(PaintRow<Id>{row.bits + words, row.starts + words, row.before + words}, label, 1, last);
            std::copy_n(last, nx % 64, out + words * 64);
        }
        out += nx;
    }
}

// Stores the first `lanes` lanes of a vector of 64 / sizeof(T) lanes.
template <class T>
[[VOXCC_AVX512, gnu::always_inline]] inline void store(T* to, __m512i v, int64_t lanes, Stores stores) {
    if (lanes >= int64_t(64 / sizeof(T))) {
        if (stores == Stores::streaming && reinterpret_cast<std::uintptr_t>(to) % 64 == 0)
            _mm512_stream_si512(reinterpret_cast<__m512i*>(to), v);
        else _mm512_storeu_si512(to, v);
    } else {
        _mm512_mask_storeu_epi8(to, ~uint64_t{0} >> (64 - lanes * int64_t(sizeof(T))), v);
    }
}

[[VOXCC_AVX512, gnu::always_inline]] inline __m512i spread(uint32_t label) { return _mm512_set1_epi32(int(label)); }
[[VOXCC_AVX512, gnu::always_inline]] inline __m512i spread(uint16_t label) { return _mm512_set1_epi16(short(label)); }
// Each lane is `second` if its bit in `later` is set, else `first`; or 0 if its bit in `bits` is zero.
[[VOXCC_AVX512, gnu::always_inline]] inline __m512i labels_of_lanes(__mmask16 bits, __mmask16 later, __m512i first, __m512i second) {
    return _mm512_maskz_mov_epi32(bits, _mm512_mask_blend_epi32(later, first, second));
}
[[VOXCC_AVX512, gnu::always_inline]] inline __m512i labels_of_lanes(__mmask32 bits, __mmask32 later, __m512i first, __m512i second) {
    return _mm512_maskz_mov_epi16(bits, _mm512_mask_blend_epi16(later, first, second));
}

// Paints a word in which at most one run starts after column 0. Most words of smooth volumes are of this kind. The loop over runs takes
// twice the time (u32: 0.065 against 0.033 ns per voxel; AMD EPYC, Zen 5, 2026-11-23).
// @param starts columns in which a run starts, without column 0
// @param run label of the run at column 0, then the label of the next run
// @param columns number of columns; less than 64 in the last word of a row
template <class T>
[[VOXCC_AVX512, gnu::always_inline]] inline void paint_two_runs(uint64_t bits, uint64_t starts, const T* run, T* out, int64_t columns,
                                                                Stores stores) {
    constexpr int lanes = 64 / int(sizeof(T));
    using Mask = std::conditional_t<sizeof(T) == 4, __mmask16, __mmask32>;
    const bool empty = bits == 0, full_of_one_run = (~bits | starts) == 0;
    const __m512i first = spread(empty ? T{0} : run[0]), second = spread(run[1]);
    if (empty || full_of_one_run) {
#pragma GCC unroll 4
        for (int i = 0; i < columns; i += lanes) store(out + i, first, columns - i, stores);
        return;
    }
    const uint64_t later = 0 - starts;
#pragma GCC unroll 4
    for (int i = 0; i < columns; i += lanes)
        store(out + i, labels_of_lanes(Mask(bits >> i), Mask(later >> i), first, second), columns - i, stores);
}

// 16 lanes per step.
template <class Id>
[[VOXCC_AVX512, gnu::always_inline]] inline void paint_avx512(const PaintRow<Id>& row, const uint32_t* label, int64_t nx, uint32_t* out,
                                                              Stores stores) {
    const __m512i up_to_lane = _mm512_setr_epi32(1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, 65535);
    for (int64_t word = 0; word < nx; word += 64) {
        const uint64_t m = row.bits[word / 64], s = row.starts[word / 64];
        const int64_t lanes = std::min<int64_t>(nx - word, 64);
        const uint32_t* run = label + row.before[word / 64];
        if (const uint64_t later = s & ~uint64_t{1}; (later & (later - 1)) == 0) {
            if (lanes == 64) paint_two_runs(m, later, run + (s & 1), out + word, 64, stores);
            else paint_two_runs(m, later, run + (s & 1), out + word, lanes, stores);
            continue;
        }
        for (int64_t i = 0; i < lanes; i += 16) {
            uint32_t starts = uint32_t(s >> i) & 0xffff;
            run += starts & 1;  // after this at most 15 runs follow, so all labels fit the 16 lanes of the permutation
            starts &= ~1u;
            const __m512i which = _mm512_popcnt_epi32(_mm512_and_si512(_mm512_set1_epi32(int(starts)), up_to_lane));
            store(out + word + i, _mm512_maskz_permutexvar_epi32(__mmask16(m >> i), which, _mm512_loadu_si512(run)), lanes - i, stores);
            run += std::popcount(starts);
        }
    }
}

// 64 lanes per step. The number of starts up to a lane is the sum of two popcounts: in the byte of the lane, and in the bytes before it.
template <class Id>
[[VOXCC_AVX512, gnu::always_inline]] inline void paint_avx512(const PaintRow<Id>& row, const uint8_t* label, int64_t nx, uint8_t* out,
                                                              Stores stores) {
    const __m512i byte_of_lane = _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
                                                  0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    const __m512i up_to_lane = _mm512_set1_epi64(static_cast<long long>(0xff7f3f1f0f070301));
    for (int64_t x = 0; x < nx; x += 64) {
        const uint64_t first = row.starts[x / 64] & 1, s = row.starts[x / 64] & ~uint64_t{1};
        const uint8_t* run = label + row.before[x / 64] + first;
        const __m512i word = _mm512_permutexvar_epi8(byte_of_lane, _mm512_set1_epi64(static_cast<long long>(s)));
        const __m512i in_byte = _mm512_popcnt_epi8(_mm512_and_si512(word, up_to_lane));
        const uint64_t a_byte = uint64_t(_mm_cvtsi128_si64(_mm_popcnt_epi8(_mm_cvtsi64_si128(static_cast<long long>(s)))));
        const __m512i before = _mm512_set1_epi64(static_cast<long long>(a_byte * 0x0101010101010101 << 8));
        const __m512i which = _mm512_add_epi8(in_byte, _mm512_permutexvar_epi8(byte_of_lane, before));
        store(out + x, _mm512_maskz_permutexvar_epi8(row.bits[x / 64], which, _mm512_loadu_si512(run)), nx - x, stores);
    }
}

// 32 lanes per step. The number of starts up to a lane is a popcount in the 16 bits of its half. The upper half adds the popcount of the
// lower half.
template <class Id>
[[VOXCC_AVX512, gnu::always_inline]] inline void paint_avx512(const PaintRow<Id>& row, const uint16_t* label, int64_t nx, uint16_t* out,
                                                              Stores stores) {
    const __m512i up_to_lane = _mm512_broadcast_i64x4(
        _mm256_set_epi64x(static_cast<long long>(0xffff7fff3fff1fff), 0x0fff07ff03ff01ff, 0x00ff007f003f001f, 0x000f000700030001));
    for (int64_t word = 0; word < nx; word += 64) {
        const uint64_t m = row.bits[word / 64], s = row.starts[word / 64];
        const int64_t lanes = std::min<int64_t>(nx - word, 64);
        const uint16_t* run = label + row.before[word / 64];
        if (const uint64_t later = s & ~uint64_t{1}; (later & (later - 1)) == 0) {
            if (lanes == 64) paint_two_runs(m, later, run + (s & 1), out + word, 64, stores);
            else paint_two_runs(m, later, run + (s & 1), out + word, lanes, stores);
            continue;
        }
        for (int64_t i = 0; i < lanes; i += 32) {
            uint32_t starts = uint32_t(s >> i);
            run += starts & 1;  // after this at most 31 runs follow, so all labels fit the 32 lanes of the permutation
            starts &= ~1u;
            const __m512i halves = _mm512_inserti64x4(_mm512_set1_epi16(short(starts)), _mm256_set1_epi16(short(starts >> 16)), 1);
            const __m512i in_half = _mm512_popcnt_epi16(_mm512_and_si512(halves, up_to_lane));
            const auto in_low_half = short(std::popcount(starts & 0xffff));
            const __m512i which = _mm512_mask_add_epi16(in_half, 0xffff0000, in_half, _mm512_set1_epi16(in_low_half));
            store(out + word + i, _mm512_maskz_permutexvar_epi16(__mmask32(m >> i), which, _mm512_loadu_si512(run)), lanes - i, stores);
            run += std::popcount(starts);
        }
    }
}

template <class T, class Id>
[[VOXCC_AVX512]] void paint_avx512(std::span<const PaintRow<Id>> rows, const T* label, int64_t nx, T* out, Stores stores) {
    for (const PaintRow<Id>& row : rows) {
        paint_avx512(row, label, nx, out, stores);
        out += nx;
    }
}
#endif

}  // namespace

template <class T, class Id>
void paint_rows(Isa isa, std::span<const PaintRow<Id>> rows, const T* label, int64_t nx, T* out, Stores stores) {
#ifdef VOXCC_X86
    if constexpr (sizeof(T) <= 4) {
        if (isa == Isa::avx512) return paint_avx512(rows, label, nx, out, stores);
        if (isa == Isa::avx2) return paint_avx2(rows, label, nx, out, stores);
    }
#endif
    const auto paint_all = [&] {
        for (const PaintRow<Id>& row : rows) {
            paint_portable(row, label, nx, out, stores);
            out += nx;
        }
    };
    // Compiled for AVX2, the loop for u64 takes 0.4 ns per voxel instead of 0.9 to 1.4 ns on words with few runs, mainly because popcount
    // is one instruction. AVX-512 is not faster (0.4 ns; AMD EPYC, Zen 5, 2026-11-23).
    if constexpr (sizeof(T) == 8) {
        run_on_avx2(isa, paint_all);
    } else {
        (void)isa;
        paint_all();
    }
}

#define VOXCC_PAINT(T)                                                                                 \
    template void paint_rows(Isa, std::span<const PaintRow<uint32_t>>, const T*, int64_t, T*, Stores); \
    template void paint_rows(Isa, std::span<const PaintRow<uint64_t>>, const T*, int64_t, T*, Stores);
VOXCC_PAINT(uint8_t)
VOXCC_PAINT(uint16_t)
VOXCC_PAINT(uint32_t)
VOXCC_PAINT(uint64_t)
#undef VOXCC_PAINT

}  // namespace voxcc::block_runs
