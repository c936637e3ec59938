// Finds where a block-row touches another, by bit logic on four words of 64 columns at a time.
#pragma once
#include "kernels3d/engine/rows.h"
#include "kernels3d/simd/isa.h"

#include <cstring>

namespace voxcc::block_runs {

/// Four words of 64 columns: one AVX2 register, or two SSE2 registers.
using Columns = std::uint64_t __attribute__((vector_size(32)));
/// Loads four words from p on. Words past the end of the row are not read, because another thread may write them; they become 0.
/// @param words number of words left in the row, at least 1
VOXCC_INLINE void load(Columns& v, const std::uint64_t* p, std::int64_t words) {
    if (words >= 4) std::memcpy(&v, p, sizeof v);
    else v = Columns{p[0], words > 1 ? p[1] : 0, words > 2 ? p[2] : 0, 0};
}
VOXCC_INLINE bool any(const Columns& v) { return (v[0] | v[1] | v[2] | v[3]) != 0; }

/// The R rows of a block-row in words w to w + 3, and the same rows moved up by one column. Bit p of `shifted` is bit p - 1 of `row`.
template <int R>
struct CrossSection {
    std::array<Columns, R> row, shifted;

    /// @param bits [R][words]
    /// @param words number of words per row
    /// @param w first of the four words
    VOXCC_INLINE void read(const std::uint64_t* bits, std::int64_t words, std::int64_t w) {
        for (int r = 0; r < R; ++r) {
            const std::uint64_t* const at = bits + r * words + w;
            load(row[r], at, words - w);
            Columns left = __builtin_shufflevector(Columns{}, row[r], 3, 4, 5, 6);
            if (w > 0) load(left, at - 1, words - w + 1);
            shifted[r] = row[r] << 1 | left >> 63;
        }
    }
    /// Reads four successive block-rows of one word each.
    /// @param bits [4][R]
    /// @param which all ones in the lanes of block-rows that exist; the others become 0
    VOXCC_INLINE void read_rows(const std::uint64_t* bits, const Columns& which) {
        static_assert(R == 1 || R == 2 || R == 4);
        Columns v[R];
        std::memcpy(v, bits, sizeof v);
        if constexpr (R == 1) {
            row[0] = v[0];
        } else if constexpr (R == 2) {
            row[0] = __builtin_shufflevector(v[0], v[1], 0, 2, 4, 6);
            row[1] = __builtin_shufflevector(v[0], v[1], 1, 3, 5, 7);
        } else {
            const Columns a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6), b = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6);
            const Columns c = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7), d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
            row[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5), row[2] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
            row[1] = __builtin_shufflevector(c, d, 0, 1, 4, 5), row[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
        }
        for (int r = 0; r < R; ++r) {
            row[r] &= which;
            shifted[r] = row[r] << 1;
        }
    }
    VOXCC_INLINE Columns all() const {
        Columns v{};
        for (int r = 0; r < R; ++r) v |= row[r] | shifted[r];
        return v;
    }
};

/// OR of the rows r whose bit in `which` is set.
template <int R>
VOXCC_INLINE Columns join(const std::array<Columns, R>& rows, unsigned which) {
    Columns v{};
    for (int r = 0; r < R; ++r)
        if (which >> r & 1) v |= rows[r];
    return v;
}

/// Sets m to the columns p in which column p of a touches column p of b.
template <Contacts K, int R>
VOXCC_INLINE void same_column(Columns& m, const CrossSection<R>& a, const CrossSection<R>& b) {
    m = Columns{};
    for (const Contact& k : K) m |= join<R>(a.row, k.own) & join<R>(b.row, k.other);
}

/// Sets m to the columns p of same_column(), and to the columns p in which column p of one touches column p - 1 of the other.
template <Contacts K, int R>
VOXCC_INLINE void touching(Columns& m, const CrossSection<R>& a, const CrossSection<R>& b) {
    m = Columns{};
    for (const Contact& k : K) {
        const Columns own = join<R>(a.row, k.own), other = join<R>(b.row, k.other);
        m |= own & other;
        if (k.reach == Contact::Reach::next_column_too) m |= (join<R>(a.shifted, k.own) & other) | (own & join<R>(b.shifted, k.other));
    }
}

/// A segment is a range of columns. It starts where a run of either block-row starts, and contains no other start. All contacts in a
/// segment are between the same two runs. In a bridged column, other contacts already join the two runs. The addition sends a carry from
/// the first column of a segment to the last; a contact stops the carry. Segments are cut at word boundaries.
struct Segments {
    Columns last, touched, by_others;  // the last column of each segment; of segments with a contact, with a bridged column

    VOXCC_INLINE Segments(const Columns& contact, const Columns& bridged, const Columns& starts) {
        const Columns first = starts | 1;
        last = first >> 1 | std::uint64_t{1} << 63;
        const Columns untouched = (~contact & ~last) + first, unbridged = (~bridged & ~last) + first;
        touched = contact | ~untouched, by_others = bridged | ~unbridged;
    }
};

/// Finds one event column for each pair of runs that touch and still must be united: the last column of each segment that has a contact
/// but no bridged column.
///
/// Segments are cut at word boundaries. A part of a segment gives no event if the part in the word before was already joined. `joined`
/// passes this information to the call for the next four words; it must be zero before the first word of a row.
///
/// contact = [0 1 1 0 0 1 0 ..], starts = [0 1 0 0 0 1 0 ..], bridged = 0  ->  event in columns 4 and 63
VOXCC_INLINE void pairs_to_unite(Columns& event, Columns& joined, const Columns& contact, const Columns& bridged, const Columns& starts) {
    const Segments segments(contact, bridged, starts);
    const Columns &last = segments.last, &touched = segments.touched, &by_others = segments.by_others;
    const Columns now = touched | by_others;
    const Columns left = __builtin_shufflevector(joined, now, 3, 4, 5, 6) >> 63;
    const Columns part_of_joined = last & -last & -(left & ~starts);
    event = last & touched & ~by_others & ~part_of_joined;
    joined = now;
}

}  // namespace voxcc::block_runs
