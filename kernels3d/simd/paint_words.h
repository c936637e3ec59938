// The portable version of paint_rows(): words of 64 columns in vectors of 16 bytes. Compilers translate these vectors to SSE2 on x86-64 and
// to NEON on ARM.
#pragma once
#include "kernels3d/simd/simd.h"

#include <algorithm>
#include <bit>
#ifdef VOXCC_X86
#include <emmintrin.h>
#endif

namespace voxcc::block_runs {

/// 16 bytes of labels.
template <class T>
struct Labels16 {
    typedef T Vector __attribute__((vector_size(16), may_alias));
    typedef T Unaligned __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));
    static constexpr int lanes = 16 / int(sizeof(T));

    VOXCC_INLINE static Vector spread(T label) { return Vector{} + label; }
    /// Lane j is all ones if bit j is set, otherwise all zeros. `bits` has one bit per lane.
    VOXCC_INLINE static Vector mask(std::uint64_t bits) {
        Vector bit{}, word{};
        for (int j = 0; j < lanes; ++j) bit[j] = T(1u << j % 8);
        if constexpr (sizeof(T) == 1) {
            constexpr std::uint64_t eight_times = 0x0101010101010101;
            typedef std::uint64_t Halves __attribute__((vector_size(16)));
            word = reinterpret_cast<Vector>(Halves{(bits & 0xff) * eight_times, (bits >> 8) * eight_times});
        } else {
            word = spread(T(bits));
        }
        return reinterpret_cast<Vector>((word & bit) == bit);
    }
    template <Stores stores>
    VOXCC_INLINE static void store(T* to, const Vector& v) {
#ifdef VOXCC_X86
        if constexpr (stores == Stores::streaming) return _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(v));
#endif
        *reinterpret_cast<Unaligned*>(to) = v;
    }
};

/// Paints the columns from `from` to nx - 1, one range of columns at a time. A range of set bits belongs to one run. It ends at a zero bit
/// or where a run of another value starts.
template <class T, class Id>
void paint_ranges(const PaintRow<Id>& row, const T* label, std::int64_t from, std::int64_t nx, T* out) {
    const auto up_to = [](int bit) { return (std::uint64_t{2} << bit) - 1; };  // mask of the bits 0 to `bit`
    for (std::int64_t x = from; x < nx; x += 64) {
        const std::int64_t w = x / 64;
        std::fill_n(out + x, std::min<std::int64_t>(nx - x, 64), T{0});
        for (std::uint64_t rest = row.bits[w]; rest;) {
            const int first = std::countr_zero(rest);
            const std::uint64_t cut = (~row.bits[w] | row.starts[w]) & ~up_to(first);
            const int end = cut ? std::countr_zero(cut) : 64;
            std::fill_n(out + x + first, end - first, label[row.before[w] + Id(std::popcount(row.starts[w] & up_to(first)))]);
            rest = end < 64 ? rest & (~std::uint64_t{0} << end) : 0;
        }
    }
}

/// Paints a word in which few runs start. Each start overwrites the labels of the columns from the start on.
/// @param starts columns in which a run starts, without column 0
/// @param run label of the run at column 0, then the labels of the later runs
template <Stores stores, class T>
VOXCC_INLINE void paint_few_runs(std::uint64_t bits, std::uint64_t starts, const T* run, T* out) {
    using Labels = Labels16<T>;
    constexpr int vectors = 64 / Labels::lanes;
    constexpr std::uint64_t lanes = (std::uint64_t{1} << Labels::lanes) - 1;
    typename Labels::Vector word[vectors];
    for (auto& labels : word) labels = Labels::spread(run[0]);
    for (; starts; starts &= starts - 1) {
        const std::uint64_t later = 0 - (starts & -starts);
        const auto label = Labels::spread(*++run);
        for (int i = 0; i < vectors; ++i) {
            const auto from = Labels::mask(later >> i * Labels::lanes & lanes);
            word[i] = (word[i] & ~from) | (label & from);
        }
    }
    for (int i = 0; i < vectors; ++i)
        Labels::template store<stores>(out + i * Labels::lanes, word[i] & Labels::mask(bits >> i * Labels::lanes & lanes));
}

/// Paints complete words. Most words of smooth volumes are empty, belong to one run, or contain few starts. A word with many starts is
/// painted column by column, without branches.
template <Stores stores, class T, class Id>
void paint_words(const PaintRow<Id>& row, const T* label, std::int64_t words, T* out) {
    constexpr int few = 6;  // estimated from the number of instructions of both ways
    for (std::int64_t w = 0; w < words; ++w, out += 64) {
        const std::uint64_t bits = row.bits[w], starts = row.starts[w] & ~std::uint64_t{1};
        const T* run = label + row.before[w] + (row.starts[w] & 1);  // label of the run at column 0
        const bool empty = bits == 0, full_of_one_run = (~bits | starts) == 0;
        if (empty || full_of_one_run) {
            const auto v = Labels16<T>::spread(empty ? T{0} : run[0]);
            for (int i = 0; i < 64; i += Labels16<T>::lanes) Labels16<T>::template store<stores>(out + i, v);
        } else if (std::popcount(starts) <= few) {
            paint_few_runs<stores>(bits, starts, run, out);
        } else {
            for (int x = 0; x < 64; ++x) {
                run += starts >> x & 1;
                out[x] = T(*run & (0 - T(bits >> x & 1)));
            }
        }
    }
}

template <class T, class Id>
void paint_portable(const PaintRow<Id>& row, const T* label, std::int64_t nx, T* out, Stores stores) {
    const std::int64_t words = nx / 64;
    if (stores == Stores::streaming && reinterpret_cast<std::uintptr_t>(out) % 16 == 0)
        paint_words<Stores::streaming>(row, label, words, out);
    else paint_words<Stores::cached>(row, label, words, out);
    paint_ranges(row, label, words * 64, nx, out);
}

}  // namespace voxcc::block_runs
