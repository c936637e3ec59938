#include "kernels3d/block_runs/cpu/compare.h"

#include "kernels3d/block_runs/cpu/simd.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#ifdef VOXCC_X86
#include <immintrin.h>
#endif

namespace voxcc::block_runs {
namespace {

using std::int64_t;
using std::uint64_t;

// One byte a voxel first, which compilers vectorise for any type, then bits.
template <class Test>
void test_by_flags(Isa isa, int64_t nx, uint64_t* bits, const Test& test) {
    constexpr int64_t piece = 4096;  // flags stay in the first-level cache
    alignas(64) std::uint8_t flags[piece];
    for (int64_t x = 0; x < nx; x += piece) {
        const int64_t n = std::min(piece, nx - x);
        run_on(isa, [&] {
            for (int64_t i = 0; i < n; ++i) flags[i] = test(x + i);
        });
        pack_row(isa, flags, n, bits + x / 64);
    }
}

#ifdef VOXCC_X86
#define VOXCC_LANE [[VOXCC_AVX512, gnu::always_inline]] static

// GCC 12 may spill a mask of 32 lanes as four bytes and read it back as eight (seen with -fsanitize=thread). A general register has no
// such choice.
template <class Mask>
[[VOXCC_AVX512, gnu::always_inline]] inline uint64_t bits_of(Mask mask) {
    std::conditional_t<sizeof(Mask) == 8, uint64_t, std::uint32_t> bits = mask;
    asm("" : "+r"(bits));
    return bits;
}

// A vector of T and its comparisons; lanes that are masked out are not read.
template <class T>
struct Lanes;
#define VOXCC_LANES(T, VECTOR, MASK, LOAD, SPREAD, EQUAL, COMPARE, GE, LE)                  \
    template <>                                                                             \
    struct Lanes<T> {                                                                       \
        using Vector = VECTOR;                                                              \
        VOXCC_LANE Vector load(uint64_t lanes, const T* p) { return LOAD(MASK(lanes), p); } \
        VOXCC_LANE Vector spread(T v) { return SPREAD; }                                    \
        VOXCC_LANE uint64_t equal(Vector a, Vector b) { return EQUAL; }                     \
        VOXCC_LANE uint64_t within(Vector v, Vector low, Vector high) {                     \
            return bits_of(COMPARE(v, low, GE)) & bits_of(COMPARE(v, high, LE));            \
        }                                                                                   \
    };
#define VOXCC_INTEGER_LANES(T, MASK, BITS, SPREAD, SIGN)                                                                 \
    VOXCC_LANES(T, __m512i, MASK, _mm512_maskz_loadu_epi##BITS, SPREAD, bits_of(_mm512_cmpeq_##SIGN##BITS##_mask(a, b)), \
                _mm512_cmp_##SIGN##BITS##_mask, _MM_CMPINT_NLT, _MM_CMPINT_LE)
// Equal, or both no numbers.
#define VOXCC_REAL_LANES(T, VECTOR, MASK, KIND)                                                                                      \
    VOXCC_LANES(T, VECTOR, MASK, _mm512_maskz_loadu_##KIND, _mm512_set1_##KIND(v),                                                   \
                bits_of(_mm512_cmp_##KIND##_mask(a, b, _CMP_EQ_OQ)) |                                                                \
                    (bits_of(_mm512_cmp_##KIND##_mask(a, a, _CMP_UNORD_Q)) & bits_of(_mm512_cmp_##KIND##_mask(b, b, _CMP_UNORD_Q))), \
                _mm512_cmp_##KIND##_mask, _CMP_GE_OQ, _CMP_LE_OQ)
VOXCC_INTEGER_LANES(std::uint8_t, __mmask64, 8, _mm512_set1_epi8(char(v)), epu)
VOXCC_INTEGER_LANES(std::int8_t, __mmask64, 8, _mm512_set1_epi8(v), epi)
VOXCC_INTEGER_LANES(std::uint16_t, __mmask32, 16, _mm512_set1_epi16(short(v)), epu)
VOXCC_INTEGER_LANES(std::int16_t, __mmask32, 16, _mm512_set1_epi16(v), epi)
VOXCC_INTEGER_LANES(std::uint32_t, __mmask16, 32, _mm512_set1_epi32(int(v)), epu)
VOXCC_INTEGER_LANES(std::int32_t, __mmask16, 32, _mm512_set1_epi32(v), epi)
VOXCC_INTEGER_LANES(std::uint64_t, __mmask8, 64, _mm512_set1_epi64(static_cast<long long>(v)), epu)
VOXCC_INTEGER_LANES(std::int64_t, __mmask8, 64, _mm512_set1_epi64(v), epi)
VOXCC_REAL_LANES(float, __m512, __mmask16, ps)
VOXCC_REAL_LANES(double, __m512d, __mmask8, pd)
#undef VOXCC_REAL_LANES
#undef VOXCC_INTEGER_LANES
#undef VOXCC_LANES

// 64 values of a row, of which the first `length` are read.
template <class T>
struct Values {
    static constexpr int a_vector = 64 / int(sizeof(T)), vectors = 64 / a_vector;
    typename Lanes<T>::Vector vector[vectors];

    [[VOXCC_AVX512, gnu::always_inline]] Values(const T* p, int64_t length) {
        const uint64_t read = length >= 64 ? ~uint64_t{0} : (uint64_t{1} << std::max<int64_t>(length, 0)) - 1;
#pragma GCC unroll 8
        for (int i = 0; i < vectors; ++i) vector[i] = Lanes<T>::load(read >> (i * a_vector), p + i * a_vector);
    }
    [[VOXCC_AVX512, gnu::always_inline]] uint64_t equal(const Values& other) const {
        uint64_t word = 0;
#pragma GCC unroll 8
        for (int i = 0; i < vectors; ++i) word |= Lanes<T>::equal(vector[i], other.vector[i]) << (i * a_vector);
        return word;
    }
    [[VOXCC_AVX512, gnu::always_inline]] uint64_t within(typename Lanes<T>::Vector low, typename Lanes<T>::Vector high) const {
        uint64_t word = 0;
#pragma GCC unroll 8
        for (int i = 0; i < vectors; ++i) word |= Lanes<T>::within(vector[i], low, high) << (i * a_vector);
        return word;
    }
};

[[VOXCC_AVX512, gnu::always_inline]] inline uint64_t first_bits(uint64_t word, int64_t length) {
    return length >= 64 ? word : word & ((uint64_t{1} << length) - 1);
}

template <class T>
[[VOXCC_AVX512]] void equal_rows_avx512(const T* a, const uint64_t* foreground, std::span<const Comparison<T>> others) {
    int64_t longest = 0, shortest = others.empty() ? 0 : others[0].length;
    for (const Comparison<T>& c : others) longest = std::max(longest, c.length), shortest = std::min(shortest, c.length);
    int64_t x = 0;
    for (; x + 64 <= shortest; x += 64) {
        const Values<T> own(a + x, 64);
        for (const Comparison<T>& c : others)
            c.bits[x / 64] = own.equal(Values<T>(c.with + x, 64)) & foreground[x / 64] & c.foreground[x / 64];
    }
    for (; x < longest; x += 64)
        for (const Comparison<T>& c : others) {
            const int64_t length = c.length - x;
            if (length <= 0) continue;
            const uint64_t equal = Values<T>(a + x, length).equal(Values<T>(c.with + x, length));
            c.bits[x / 64] = first_bits(equal & foreground[x / 64] & c.foreground[x / 64], length);
        }
}

template <class T>
[[VOXCC_AVX512]] void within_row_avx512(const T* v, T low, T high, int64_t nx, uint64_t* bits) {
    const auto from = Lanes<T>::spread(low), to = Lanes<T>::spread(high);
    for (int64_t x = 0; x < nx; x += 64) {
        // Rows are looked at one by one, with other work between them, so that the processor forgets to fetch the next. 2 KiB ahead, a line
        // for each read; past the last row nothing happens.
        for (std::uintptr_t line = 0; line < sizeof(T); ++line)
            __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(v + x) + 2048 + 64 * line));
        bits[x / 64] = first_bits(Values<T>(v + x, nx - x).within(from, to), nx - x);
    }
}
#endif

}  // namespace

template <class T>
void equal_rows(Isa isa, const T* a, const uint64_t* foreground, std::span<const Comparison<T>> others) {
#ifdef VOXCC_X86
    if (isa == Isa::avx512) return equal_rows_avx512(a, foreground, others);
#endif
    for (const Comparison<T>& c : others) {
        test_by_flags(isa, c.length, c.bits, [a, b = c.with](int64_t x) { return (a[x] == b[x]) | ((a[x] != a[x]) & (b[x] != b[x])); });
        for (int64_t w = 0; w < (c.length + 63) / 64; ++w) c.bits[w] &= foreground[w] & c.foreground[w];
    }
}

template <class T>
void within_row(Isa isa, const T* v, T low, T high, int64_t nx, uint64_t* bits) {
#ifdef VOXCC_X86
    if (isa == Isa::avx512) return within_row_avx512(v, low, high, nx, bits);
#endif
    test_by_flags(isa, nx, bits, [=](int64_t x) { return (v[x] >= low) & (v[x] <= high); });
}

#define VOXCC_COMPARE(T)                                                                         \
    template void equal_rows<T>(Isa, const T*, const uint64_t*, std::span<const Comparison<T>>); \
    template void within_row<T>(Isa, const T*, T, T, std::int64_t, std::uint64_t*);
VOXCC_COMPARE(std::uint8_t)
VOXCC_COMPARE(std::int8_t)
VOXCC_COMPARE(std::uint16_t)
VOXCC_COMPARE(std::int16_t)
VOXCC_COMPARE(std::uint32_t)
VOXCC_COMPARE(std::int32_t)
VOXCC_COMPARE(std::uint64_t)
VOXCC_COMPARE(std::int64_t)
VOXCC_COMPARE(float)
VOXCC_COMPARE(double)
#undef VOXCC_COMPARE

}  // namespace voxcc::block_runs
