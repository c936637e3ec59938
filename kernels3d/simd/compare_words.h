// The loops of equal_rows(), within_row() and near_row() over words of 64 values, shared by compare_avx2.cpp and compare_avx512.cpp. A
// target attribute cannot depend on a template parameter. So each of these files defines VOXCC_TARGET before it includes this file.
//
// The parameter `Words` is the part that depends on the instruction set:
//   Words::Held(p)                          64 values from p on, held for several comparisons
//   held.equal(p)                           bit i: value i of `held` and p[i] are equal, or both are NaN
//   Words::equal_end(a, b, x, length)       bit i: the same for a[x + i] and b[x + i], for the last 1..63 values of rows of `length` values
//   Words::Bounds(low, high)                bounds of within(), held for the complete row
//   bounds.within(p)                        bit i: low <= p[i] && p[i] <= high, for 64 values
//   bounds.within_end(p, x, length)         bit i: the same for p[x + i], for the last 1..63 values of a row of `length` values
//   Words::Limit(limit)                     a limit of near_row(), held for the complete row
//   limit.near(a, b)                        bit i: a[i] and b[i] are near, for 64 values
//   limit.near_end(a, b, x, length)         bit i: the same for a[x + i] and b[x + i], for the last 1..63 values
#pragma once
#include "kernels3d/simd/compare.h"
#include "kernels3d/simd/near_limit.h"

#include <algorithm>

namespace voxcc::block_runs {
namespace {

template <class Words, class T>
[[VOXCC_TARGET, gnu::always_inline]] inline void equal_rows_by_words(const T* a, const std::uint64_t* foreground,
                                                                     std::span<const Comparison<T>> others) {
    std::int64_t shortest = others.empty() ? 0 : others[0].length;
    for (const Comparison<T>& c : others) shortest = std::min(shortest, c.length);
    std::int64_t together = 0;
    for (; together + 64 <= shortest; together += 64) {
        const typename Words::Held own(a + together);
        const std::int64_t w = together / 64;
        for (const Comparison<T>& c : others) c.bits[w] = own.equal(c.with + together) & foreground[w] & c.foreground[w];
    }
    for (const Comparison<T>& c : others) {
        std::int64_t x = together;
        for (; x + 64 <= c.length; x += 64)
            c.bits[x / 64] = typename Words::Held(a + x).equal(c.with + x) & foreground[x / 64] & c.foreground[x / 64];
        if (x < c.length) c.bits[x / 64] = Words::equal_end(a, c.with, x, c.length) & foreground[x / 64] & c.foreground[x / 64];
    }
}

template <class Words, class T>
[[VOXCC_TARGET, gnu::always_inline]] inline void within_row_by_words(const T* v, T low, T high, std::int64_t nx, std::uint64_t* bits) {
    const typename Words::Bounds bounds(low, high);
    std::int64_t x = 0;
    for (; x + 64 <= nx; x += 64) {
        // The work between two rows interrupts the hardware prefetcher. So each word prefetches the cache lines 2 KiB ahead. A prefetch
        // past the end of the row has no effect.
        for (std::uintptr_t line = 0; line < sizeof(T); ++line)
            __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(v + x) + 2048 + 64 * line));
        bits[x / 64] = bounds.within(v + x);
    }
    if (x < nx) bits[x / 64] = bounds.within_end(v, x, nx);
}

template <class Words, class T>
[[VOXCC_TARGET, gnu::always_inline]] inline void near_row_by_words(const T* a, const T* b, const NearLimit<T>& most, std::int64_t n,
                                                                   std::uint64_t* bits) {
    const typename Words::Limit limit(most);
    std::int64_t x = 0;
    for (; x + 64 <= n; x += 64) bits[x / 64] = limit.near(a + x, b + x);
    if (x < n) bits[x / 64] = limit.near_end(a, b, x, n);
}

}  // namespace
}  // namespace voxcc::block_runs
