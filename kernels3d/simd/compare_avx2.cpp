// equal_rows(), within_row() and near_row() for AVX2. A vector comparison sets each lane to all ones or all zeros. The lanes are narrowed
// to bytes, and one instruction extracts one bit per byte.
#include "kernels3d/simd/compare_sets.h"

#ifdef VOXCC_X86
#define VOXCC_TARGET VOXCC_AVX2
#include "kernels3d/simd/compare_words.h"

#include <immintrin.h>
#include <cstring>
#include <type_traits>

namespace voxcc::block_runs {
namespace {

using std::int64_t;
using std::uint64_t;

// A vector of 32 bytes of T at any address. The compiler's vector types support all comparisons for every T. The AVX2 intrinsics do not,
// for example for unsigned integers.
template <class T>
struct VectorOf {
    typedef T Type __attribute__((vector_size(32), aligned(1), may_alias));
};
template <class T>
using Vector = typename VectorOf<T>::Type;

// Reorders 32 bytes, narrowed from the lanes of `Size` vectors, to the order of the lanes. The input holds the low halves of all vectors,
// then the high halves. Each half takes 16 / Size bytes.
//
// Size 2, vectors v w: [v low, w low, v high, w high] -> [v low, v high, w low, w high]
template <int Size>
[[VOXCC_AVX2, gnu::always_inline]] inline __m256i in_order(__m256i bytes) {
    if constexpr (Size == 1) return bytes;
    else if constexpr (Size == 2) return _mm256_permute4x64_epi64(bytes, 0b11'01'10'00);
    else if constexpr (Size == 4) return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    else {
        const __m256i halves = _mm256_permute4x64_epi64(bytes, 0b11'01'10'00);
        return _mm256_shuffle_epi8(halves, _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15,  //
                                                            0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
    }
}

// Returns 32 bits: bit i is set if lane i of 32 lanes of `Size` bytes is all ones. Each lane must be all ones or all zeros. Overwrites
// the lanes.
template <int Size>
[[VOXCC_AVX2, gnu::always_inline]] inline uint64_t bits_of(__m256i (&lanes)[Size]) {
#pragma GCC unroll 4
    for (int vectors = Size / 2; vectors > 0; vectors /= 2)
#pragma GCC unroll 4
        for (int i = 0; i < vectors; ++i)
            lanes[i] = _mm256_packs_epi16(lanes[2 * i], lanes[2 * i + 1]);  // halves the number of bytes per lane
    return std::uint32_t(_mm256_movemask_epi8(in_order<Size>(lanes[0])));
}

// Lanes in which a and b are near. `close` is a vector of ones or zeros per lane.
template <class T>
struct NearVectors {
    using Unsigned = std::make_unsigned_t<T>;
    Vector<Unsigned> most;

    [[VOXCC_AVX2, gnu::always_inline]] explicit NearVectors(const NearLimit<T>& limit) : most(limit.most - Vector<Unsigned>{}) {}
    [[VOXCC_AVX2, gnu::always_inline]] __m256i close(Vector<T> a, Vector<T> b) const {
        const Vector<Unsigned> smaller = (Vector<Unsigned>)(a < b ? a : b), larger = (Vector<Unsigned>)(a < b ? b : a);
        return (__m256i)(larger - smaller <= most);
    }
};
template <class T>
requires std::is_floating_point_v<T>
struct NearVectors<T> {
    Vector<T> most, rest;

    [[VOXCC_AVX2, gnu::always_inline]] explicit NearVectors(const NearLimit<T>& limit)
        : most(limit.most - Vector<T>{}), rest(limit.rest - Vector<T>{}) {}
    [[VOXCC_AVX2, gnu::always_inline]] __m256i close(Vector<T> a, Vector<T> b) const {
        const Vector<T> difference = a - b, size = difference < 0 ? -difference : difference;
        const __m256i at_limit = (__m256i)(size == most), below = (__m256i)((size < most) | (a == b));
        if (_mm256_testz_si256(at_limit, at_limit)) return below;
        // See is_near(): the rounding error decides.
        const Vector<T> of_b = a - difference, of_a = difference + of_b, error = (a - of_a) + (of_b - b);
        const __m256i above = (__m256i)((difference < 0 ? -error : error) > rest);
        return _mm256_or_si256(below, _mm256_andnot_si256(above, at_limit));
    }
};

template <class T>
struct Words {
    static constexpr int per_vector = 32 / int(sizeof(T)), vectors = 64 / per_vector;

    [[VOXCC_AVX2, gnu::always_inline]] static Vector<T> vector_at(const T* p, int i) {
        return *reinterpret_cast<const Vector<T>*>(p + i * per_vector);
    }

    // 64 values stay in registers if they take at most 8 of the 16. Otherwise each comparison loads them again.
    struct HeldInRegisters {
        Vector<T> vector[vectors];
        [[VOXCC_AVX2, gnu::always_inline]] explicit HeldInRegisters(const T* p) {
#pragma GCC unroll 8
            for (int i = 0; i < vectors; ++i) vector[i] = vector_at(p, i);
        }
        [[VOXCC_AVX2, gnu::always_inline]] Vector<T> operator[](int i) const { return vector[i]; }
    };
    struct HeldInMemory {
        const T* values;
        explicit HeldInMemory(const T* p) : values(p) {}
        [[VOXCC_AVX2, gnu::always_inline]] Vector<T> operator[](int i) const { return vector_at(values, i); }
    };

    struct Held {
        std::conditional_t<vectors <= 8, HeldInRegisters, HeldInMemory> own;

        [[VOXCC_AVX2, gnu::always_inline]] explicit Held(const T* p) : own(p) {}
        [[VOXCC_AVX2, gnu::always_inline]] uint64_t equal(const T* with) const { return half(with, 0) | half(with, 1) << 32; }

    private:
        [[VOXCC_AVX2, gnu::always_inline]] uint64_t half(const T* with, int number) const {
            __m256i lanes[sizeof(T)];
#pragma GCC unroll 8
            for (int i = 0; i < int(sizeof(T)); ++i) {
                const int at = number * int(sizeof(T)) + i;
                const Vector<T> a = own[at], b = vector_at(with, at);
                lanes[i] = (__m256i)((a == b) | ((a != a) & (b != b)));
            }
            return bits_of(lanes);
        }
    };

    struct Bounds {
        T low, high;

        Bounds(T from, T to) : low(from), high(to) {}
        [[VOXCC_AVX2, gnu::always_inline]] uint64_t within(const T* p) const { return half(p, 0) | half(p, 1) << 32; }
        [[VOXCC_AVX2, gnu::always_inline]] uint64_t within_end(const T* p, int64_t x, int64_t length) const {
            if (length >= 64) return within(p + length - 64) >> (64 - (length - x));
            return within(ShortRow(p, length).values) & first_bits(length);
        }

    private:
        [[VOXCC_AVX2, gnu::always_inline]] uint64_t half(const T* p, int number) const {
            __m256i lanes[sizeof(T)];
#pragma GCC unroll 8
            for (int i = 0; i < int(sizeof(T)); ++i) {
                const Vector<T> v = vector_at(p, number * int(sizeof(T)) + i);
                lanes[i] = (__m256i)((v >= low) & (v <= high));
            }
            return bits_of(lanes);
        }
    };

    struct Limit {
        NearVectors<T> vectors;

        [[VOXCC_AVX2, gnu::always_inline]] explicit Limit(const NearLimit<T>& limit) : vectors(limit) {}
        [[VOXCC_AVX2, gnu::always_inline]] uint64_t near(const T* a, const T* b) const { return half(a, b, 0) | half(a, b, 1) << 32; }
        [[VOXCC_AVX2, gnu::always_inline]] uint64_t near_end(const T* a, const T* b, int64_t x, int64_t length) const {
            if (length >= 64) return near(a + length - 64, b + length - 64) >> (64 - (length - x));
            return near(ShortRow(a, length).values, ShortRow(b, length).values) & first_bits(length);
        }

    private:
        [[VOXCC_AVX2, gnu::always_inline]] uint64_t half(const T* a, const T* b, int number) const {
            __m256i lanes[sizeof(T)];
#pragma GCC unroll 8
            for (int i = 0; i < int(sizeof(T)); ++i) {
                const int at = number * int(sizeof(T)) + i;
                lanes[i] = vectors.close(vector_at(a, at), vector_at(b, at));
            }
            return bits_of(lanes);
        }
    };

    // Compares the last 64 values of both rows. A shorter row is copied first, so that no value past the end is read.
    [[VOXCC_AVX2, gnu::always_inline]] static uint64_t equal_end(const T* a, const T* b, int64_t x, int64_t length) {
        if (length >= 64) return Held(a + length - 64).equal(b + length - 64) >> (64 - (length - x));
        return Held(ShortRow(a, length).values).equal(ShortRow(b, length).values) & first_bits(length);
    }

private:
    // A row of fewer than 64 values, followed by zeros.
    struct ShortRow {
        T values[64]{};
        ShortRow(const T* p, int64_t length) { std::memcpy(values, p, std::size_t(length) * sizeof(T)); }
    };
    static uint64_t first_bits(int64_t length) { return (uint64_t{1} << length) - 1; }
};

}  // namespace

template <class T>
[[VOXCC_AVX2]] void equal_rows_avx2(const T* a, const uint64_t* foreground, std::span<const Comparison<T>> others) {
    equal_rows_by_words<Words<T>>(a, foreground, others);
}

template <class T>
[[VOXCC_AVX2]] void within_row_avx2(const T* v, T low, T high, int64_t nx, uint64_t* bits) {
    within_row_by_words<Words<T>>(v, low, high, nx, bits);
}

template <class T>
[[VOXCC_AVX2]] void near_row_avx2(const T* a, const T* b, NearLimit<T> limit, int64_t n, uint64_t* bits) {
    near_row_by_words<Words<T>>(a, b, limit, n, bits);
}

#define VOXCC_COMPARE(T)                                                                         \
    template void equal_rows_avx2<T>(const T*, const uint64_t*, std::span<const Comparison<T>>); \
    template void within_row_avx2<T>(const T*, T, T, int64_t, uint64_t*);                        \
    template void near_row_avx2<T>(const T*, const T*, NearLimit<T>, int64_t, uint64_t*);
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
