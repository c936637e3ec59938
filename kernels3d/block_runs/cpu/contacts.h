// Where a block-row touches another: bit logic on four words of 64 columns at once.
#pragma once
#include "kernels3d/block_runs/rows.h"
#include "kernels3d/simd/isa.h"

#include <cstring>

namespace voxcc::block_runs {

/// Four words of 64 columns; one AVX2 register, two SSE2.
using Columns = std::uint64_t __attribute__((vector_size(32)));
/// The next of `words` words; what lies behind them may be another thread's, and reads as 0.
VOXCC_INLINE void load(Columns& v, const std::uint64_t* p, std::int64_t words) {
    if (words >= 4) std::memcpy(&v, p, sizeof v);
    else v = Columns{p[0], words > 1 ? p[1] : 0, words > 2 ? p[2] : 0, 0};
}
VOXCC_INLINE bool any(const Columns& v) { return (v[0] | v[1] | v[2] | v[3]) != 0; }

/// The R rows of a block-row in words w..w+3, and the same one column further: bit p of `shifted` is bit p - 1 of `row`.
template <int R>
struct CrossSection {
    std::array<Columns, R> row, shifted;

    /// @param bits [R][words]
    VOXCC_INLINE void read(const std::uint64_t* bits, std::int64_t words, std::int64_t w) {
        for (int r = 0; r < R; ++r) {
            const std::uint64_t* const at = bits + r * words + w;
            load(row[r], at, words - w);
            Columns left = __builtin_shufflevector(Columns{}, row[r], 3, 4, 5, 6);
            if (w > 0) load(left, at - 1, words - w + 1);
            shifted[r] = row[r] << 1 | left >> 63;
        }
    }
    VOXCC_INLINE Columns all() const {
        Columns v{};
        for (int r = 0; r < R; ++r) v |= row[r] | shifted[r];
        return v;
    }
};

template <int R>
VOXCC_INLINE Columns join(const std::array<Columns, R>& rows, unsigned which) {
    Columns v{};
    for (int r = 0; r < R; ++r)
        if (which >> r & 1) v |= rows[r];
    return v;
}

/// Columns p in which a and b touch.
template <Contacts K, int R>
VOXCC_INLINE void same_column(Columns& m, const CrossSection<R>& a, const CrossSection<R>& b) {
    m = Columns{};
    for (const Contact& k : K) m |= join<R>(a.row, k.own) & join<R>(b.row, k.other);
}

/// Columns p in which a and b touch, or between p and p - 1.
template <Contacts K, int R>
VOXCC_INLINE void touching(Columns& m, const CrossSection<R>& a, const CrossSection<R>& b) {
    m = Columns{};
    for (const Contact& k : K) {
        const Columns own = join<R>(a.row, k.own), other = join<R>(b.row, k.other);
        m |= own & other;
        if (k.reach == Contact::Reach::next_column_too) m |= (join<R>(a.shifted, k.own) & other) | (own & join<R>(b.shifted, k.other));
    }
}

/// One event for each pair of runs that touch.
///
/// A segment is a stretch of columns in which no run of either block-row starts: all its contacts are of one pair of runs. `event` marks
/// the last column of each segment that has a contact and no bridged column (one where other contacts join the two already). The addition
/// sends a carry from a segment's first column to its last, unless a contact stops it. Segments are cut at words; the part in a word is
/// dropped when the part in the word before was joined, which `joined` hands on to the next four words.
VOXCC_INLINE void pairs_to_unite(Columns& event, Columns& joined, const Columns& contact, const Columns& bridged, const Columns& starts) {
    const Columns first = starts | 1, last = first >> 1 | std::uint64_t{1} << 63;
    const Columns untouched = (~contact & ~last) + first, unbridged = (~bridged & ~last) + first;
    const Columns touched = contact | ~untouched, by_others = bridged | ~unbridged;
    const Columns now = touched | by_others;
    const Columns left = __builtin_shufflevector(joined, now, 3, 4, 5, 6) >> 63;
    const Columns part_of_joined = last & -last & -(left & ~starts);
    event = last & touched & ~by_others & ~part_of_joined;
    joined = now;
}

}  // namespace voxcc::block_runs
