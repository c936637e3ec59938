// Portable versions of equal_rows() and within_row(), and the choice of a version by instruction set.
#include "kernels3d/simd/compare.h"

#include <voxcc/bits.h>
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
        pack_row(Isa::portable, flags, n, bits + x / 64);
    }
}

}  // namespace

template <class T>
void equal_rows(Isa isa, const T* a, const uint64_t* foreground, std::span<const Comparison<T>> others) {
#ifdef VOXCC_X86
    if (isa == Isa::avx512) return equal_rows_avx512(a, foreground, others);
    if (isa == Isa::avx2) return equal_rows_avx2(a, foreground, others);
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
