// Portable versions of equal_rows() and within_row(), and the choice of a version by instruction set.
#include "kernels3d/simd/compare.h"

#include <voxcc/source.h>
#include "kernels3d/simd/compare_sets.h"
#include "kernels3d/simd/simd.h"

#include <algorithm>

namespace voxcc::block_runs {
namespace {

using std::int64_t;
using std::uint64_t;

// Evaluates test(x) for each voxel into one byte, in a loop that compilers vectorise for any type. Then packs the bytes into bits. `test`
// is passed by value: a stored byte might alias the data behind a reference. Then the compiler would reload that data for each voxel.
template <class Test>
void test_by_flags(int64_t nx, uint64_t* bits, Test test) {
    constexpr int64_t piece = 4096;  // small enough for the first-level cache
    alignas(64) std::uint8_t flags[piece];
    for (int64_t x = 0; x < nx; x += piece) {
        const int64_t n = std::min(piece, nx - x);
        for (int64_t i = 0; i < n; ++i) flags[i] = test(x + i);
        pack_rows(Isa::portable, {flags, 0, 1}, n, bits + x / 64);
    }
}

}  // namespace

template <class T>
void equal_rows(Isa isa, const T* a, const uint64_t* foreground, std::span<const Comparison<T>> others) {
#ifdef VOXCC_X86
    // A load of 64 bytes that does not begin at a multiple of 64 touches two cache lines. Of integers up to 32 bits, AVX-512 then takes up
    // to 1.4 times the time of AVX2 (five rows of u32: 0.20 against 0.15 ns per value; AMD EPYC, Zen 5, 2026-11-23).
    constexpr bool needs_alignment = std::is_integral_v<T> && sizeof(T) <= 4;
    const bool aligned = reinterpret_cast<std::uintptr_t>(a) % 64 == 0;
    if (isa == Isa::avx512 && (aligned || !needs_alignment)) return equal_rows_avx512(a, foreground, others);
    if (isa != Isa::portable) return equal_rows_avx2(a, foreground, others);
#endif
    (void)isa;
    for (const Comparison<T>& c : others) {
        test_by_flags(c.length, c.bits, [a, b = c.with](int64_t x) { return (a[x] == b[x]) | ((a[x] != a[x]) & (b[x] != b[x])); });
        for (int64_t w = 0; w < words_of(c.length); ++w) c.bits[w] &= foreground[w] & c.foreground[w];
    }
}

template <class T>
void within_row(Isa isa, const T* v, T low, T high, int64_t nx, uint64_t* bits) {
#ifdef VOXCC_X86
    if (isa == Isa::avx512) return within_row_avx512(v, low, high, nx, bits);
    if (isa == Isa::avx2) return within_row_avx2(v, low, high, nx, bits);
#endif
    (void)isa;
    test_by_flags(nx, bits, [=](int64_t x) { return (v[x] >= low) & (v[x] <= high); });
}

// Compilers vectorise the loop, so that it is compiled for each instruction set.
template <class T>
int64_t count_nan(Isa isa, const T* row, int64_t nx) {
    constexpr int64_t piece = 4096;                                           // the count of a piece fits the narrow type
    using Count = std::conditional_t<sizeof(T) == 4, std::int32_t, int64_t>;  // as wide as the values, for vectorisation
    typedef T Unaligned __attribute__((aligned(1)));
    const Unaligned* const v = row;  // captured by reference: the type of a copy would have the alignment of T
    int64_t nan = 0;
    run_on(isa, [&] {
        for (int64_t x = 0; x < nx; x += piece) {
            const int64_t n = std::min(piece, nx - x);
            Count count = 0;
            for (int64_t i = 0; i < n; ++i) count += v[x + i] != v[x + i];
            nan += count;
        }
    });
    return nan;
}
template int64_t count_nan(Isa, const float*, int64_t);
template int64_t count_nan(Isa, const double*, int64_t);

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
