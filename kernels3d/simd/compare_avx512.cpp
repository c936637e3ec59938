// equal_rows(), within_row() and near_row() for AVX-512. A vector comparison writes one bit per lane into a mask register.
#include "kernels3d/simd/compare_sets.h"

#ifdef VOXCC_X86
#define VOXCC_TARGET VOXCC_AVX512
#include "kernels3d/simd/compare_words.h"

#include <immintrin.h>
#include <type_traits>

namespace voxcc::block_runs {
namespace {

using std::int64_t;
using std::uint64_t;

#define VOXCC_LANE [[VOXCC_AVX512, gnu::always_inline]] static

// GCC 12 may spill a mask of 32 lanes as four bytes and read eight bytes back (observed with -fsanitize=thread). The empty assembly moves
// the mask to a general register, which is spilled with its full size.
template <class Mask>
[[VOXCC_AVX512, gnu::always_inline]] inline uint64_t bits_of(Mask mask) {
    std::conditional_t<sizeof(Mask) == 8, uint64_t, std::uint32_t> bits = mask;
    asm("" : "+r"(bits));
    return bits;
}

// Vector type and comparisons for T. load() does not read lanes that are masked out.
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
// equal(): the values are equal, or both are NaN.
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

// A limit in all lanes. close() returns the lanes in which a and b are near, as bits.
template <class T>
struct NearVectors;
#define VOXCC_NEAR_INTEGERS(T, BITS, SIGN)                                                                                 \
    template <>                                                                                                            \
    struct NearVectors<T> {                                                                                                \
        __m512i most;                                                                                                      \
        [[VOXCC_AVX512, gnu::always_inline]] explicit NearVectors(const NearLimit<T>& limit)                               \
            : most(Lanes<std::make_unsigned_t<T>>::spread(limit.most)) {}                                                  \
        [[VOXCC_AVX512, gnu::always_inline]] uint64_t close(__m512i a, __m512i b) const {                                  \
            const __m512i difference = _mm512_sub_epi##BITS(_mm512_max_##SIGN##BITS(a, b), _mm512_min_##SIGN##BITS(a, b)); \
            return bits_of(_mm512_cmple_epu##BITS##_mask(difference, most));                                               \
        }                                                                                                                  \
    };
// If the rounded difference is the limit, the rounding error decides: see is_near().
#define VOXCC_NEAR_REALS(T, KIND)                                                                                                 \
    template <>                                                                                                                   \
    struct NearVectors<T> {                                                                                                       \
        using Vector = Lanes<T>::Vector;                                                                                          \
        Vector most, rest;                                                                                                        \
        [[VOXCC_AVX512, gnu::always_inline]] explicit NearVectors(const NearLimit<T>& limit)                                      \
            : most(Lanes<T>::spread(limit.most)), rest(Lanes<T>::spread(limit.rest)) {}                                           \
        [[VOXCC_AVX512, gnu::always_inline]] uint64_t close(Vector a, Vector b) const {                                           \
            const Vector difference = a - b, size = _mm512_abs_##KIND(difference);                                                \
            const uint64_t below = _mm512_cmp_##KIND##_mask(size, most, _CMP_LT_OQ) | _mm512_cmp_##KIND##_mask(a, b, _CMP_EQ_OQ); \
            const uint64_t at_limit = _mm512_cmp_##KIND##_mask(size, most, _CMP_EQ_OQ);                                           \
            if (!at_limit) return below;                                                                                          \
            const Vector of_b = a - difference, of_a = difference + of_b, error = (a - of_a) + (of_b - b);                        \
            const uint64_t negative = _mm512_cmp_##KIND##_mask(difference, Lanes<T>::spread(0), _CMP_LT_OQ);                      \
            const uint64_t above = (_mm512_cmp_##KIND##_mask(error, rest, _CMP_GT_OQ) & ~negative) |                              \
                                   (_mm512_cmp_##KIND##_mask(error, Lanes<T>::spread(0) - rest, _CMP_LT_OQ) & negative);          \
            return below | (at_limit & ~above);                                                                                   \
        }                                                                                                                         \
    };
VOXCC_NEAR_INTEGERS(std::uint8_t, 8, epu)
VOXCC_NEAR_INTEGERS(std::int8_t, 8, epi)
VOXCC_NEAR_INTEGERS(std::uint16_t, 16, epu)
VOXCC_NEAR_INTEGERS(std::int16_t, 16, epi)
VOXCC_NEAR_INTEGERS(std::uint32_t, 32, epu)
VOXCC_NEAR_INTEGERS(std::int32_t, 32, epi)
VOXCC_NEAR_INTEGERS(std::uint64_t, 64, epu)
VOXCC_NEAR_INTEGERS(std::int64_t, 64, epi)
VOXCC_NEAR_REALS(float, ps)
VOXCC_NEAR_REALS(double, pd)
#undef VOXCC_NEAR_REALS
#undef VOXCC_NEAR_INTEGERS

[[VOXCC_AVX512, gnu::always_inline]] inline uint64_t first_bits(int64_t length) { return ~uint64_t{0} >> (64 - length); }

template <class T>
struct Words {
    static constexpr int per_vector = 64 / int(sizeof(T)), vectors = 64 / per_vector;

    // 64 values of a row. A value is read only where its bit in `read` is set.
    struct Values {
        typename Lanes<T>::Vector vector[vectors];

        [[VOXCC_AVX512, gnu::always_inline]] Values(const T* p, uint64_t read) {
#pragma GCC unroll 8
            for (int i = 0; i < vectors; ++i) vector[i] = Lanes<T>::load(read >> (i * per_vector), p + i * per_vector);
        }
    };

    struct Held {
        Values own;

        [[VOXCC_AVX512, gnu::always_inline]] explicit Held(const T* p, uint64_t read = ~uint64_t{0}) : own(p, read) {}
        [[VOXCC_AVX512, gnu::always_inline]] uint64_t equal(const T* with, uint64_t read = ~uint64_t{0}) const {
            const Values other(with, read);
            uint64_t word = 0;
#pragma GCC unroll 8
            for (int i = 0; i < vectors; ++i) word |= Lanes<T>::equal(own.vector[i], other.vector[i]) << (i * per_vector);
            return word & read;
        }
    };

    struct Bounds {
        typename Lanes<T>::Vector low, high;

        [[VOXCC_AVX512, gnu::always_inline]] Bounds(T from, T to) : low(Lanes<T>::spread(from)), high(Lanes<T>::spread(to)) {}
        [[VOXCC_AVX512, gnu::always_inline]] uint64_t within(const T* p, uint64_t read = ~uint64_t{0}) const {
            const Values values(p, read);
            uint64_t word = 0;
#pragma GCC unroll 8
            for (int i = 0; i < vectors; ++i) word |= Lanes<T>::within(values.vector[i], low, high) << (i * per_vector);
            return word & read;
        }
        [[VOXCC_AVX512, gnu::always_inline]] uint64_t within_end(const T* p, int64_t x, int64_t length) const {
            return within(p + x, first_bits(length - x));
        }
    };

    struct Limit {
        NearVectors<T> vectors;

        [[VOXCC_AVX512, gnu::always_inline]] explicit Limit(const NearLimit<T>& limit) : vectors(limit) {}
        [[VOXCC_AVX512, gnu::always_inline]] uint64_t near(const T* a, const T* b, uint64_t read = ~uint64_t{0}) const {
            uint64_t word = 0;
#pragma GCC unroll 8
            for (int i = 0; i < vectors_per_word; ++i) {
                const int at = i * per_vector;
                word |= vectors.close(Lanes<T>::load(read >> at, a + at), Lanes<T>::load(read >> at, b + at)) << at;
            }
            return word & read;
        }
        [[VOXCC_AVX512, gnu::always_inline]] uint64_t near_end(const T* a, const T* b, int64_t x, int64_t length) const {
            return near(a + x, b + x, first_bits(length - x));
        }

    private:
        static constexpr int vectors_per_word = 64 / per_vector;
    };

    [[VOXCC_AVX512, gnu::always_inline]] static uint64_t equal_end(const T* a, const T* b, int64_t x, int64_t length) {
        return Held(a + x, first_bits(length - x)).equal(b + x, first_bits(length - x));
    }
};

}  // namespace

template <class T>
[[VOXCC_AVX512]] void equal_rows_avx512(const T* a, const uint64_t* foreground, std::span<const Comparison<T>> others) {
    equal_rows_by_words<Words<T>>(a, foreground, others);
}

template <class T>
[[VOXCC_AVX512]] void within_row_avx512(const T* v, T low, T high, int64_t nx, uint64_t* bits) {
    within_row_by_words<Words<T>>(v, low, high, nx, bits);
}

template <class T>
[[VOXCC_AVX512]] void near_row_avx512(const T* a, const T* b, NearLimit<T> limit, int64_t n, uint64_t* bits) {
    near_row_by_words<Words<T>>(a, b, limit, n, bits);
}

#define VOXCC_COMPARE(T)                                                                           \
    template void equal_rows_avx512<T>(const T*, const uint64_t*, std::span<const Comparison<T>>); \
    template void within_row_avx512<T>(const T*, T, T, int64_t, uint64_t*);                        \
    template void near_row_avx512<T>(const T*, const T*, NearLimit<T>, int64_t, uint64_t*);
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
#endif
