// Finds the runs of two block-rows that touch, with the bit logic of cpu/contacts.h on one word of 64 columns.
#pragma once
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/bits.h"
#include "kernels3d/engine/tiles/shape.h"

#include <utility>

namespace voxcc::block_runs::tiles {

/// OR of the rows r of a block-row whose bit in `Which` is set.
/// @tparam Step distance of the rows of a block-row in memory
template <int Depth, unsigned Which = ~0u, int Step = 1>
VOXCC_HD inline uint64_t joined_rows(const uint64_t* rows) {
    uint64_t all = 0;
    VOXCC_UNROLL
    for (int r = 0; r < Depth; ++r)
        if (Which >> r & 1) all |= rows[r * Step];
    return all;
}

/// Columns in which the runs of a block-row start.
/// @param words the words of its tile
template <class Shape>
VOXCC_HD inline uint64_t starts_of(const uint64_t* words, int block_row) {
    if constexpr (Shape::by_value) return words[Shape::rows + block_row];
    else return run_starts(joined_rows<Shape::depth>(words + block_row * Shape::depth));
}

/// Entry I of a table, as scalars. Device code must not call operator[] of the array, even for a constant. A constant of type Contact that
/// is copied from a template argument ends g++ 13.3 with an internal error.
template <Contacts K, std::size_t I>
struct ContactOf {
    static constexpr unsigned own = K[I].own, other = K[I].other;
    static constexpr bool is_slanted = K[I].reach == Contact::Reach::next_column_too;
};

/// @tparam C a ContactOf
template <class C, int Depth, int Step>
VOXCC_HD inline uint64_t same_column_of(const uint64_t* a, const uint64_t* b) {
    return joined_rows<Depth, C::own, Step>(a) & joined_rows<Depth, C::other, Step>(b);
}
template <class C, int Depth, int Step>
VOXCC_HD inline uint64_t touching_of(const uint64_t* a, const uint64_t* b) {
    const uint64_t own = joined_rows<Depth, C::own, Step>(a), other = joined_rows<Depth, C::other, Step>(b);
    if constexpr (C::is_slanted) return (own & (other | other << 1)) | (own << 1 & other);
    else return own & other;
}

/// Columns p in which column p of a touches column p of b.
/// @tparam Step see joined_rows()
template <Contacts K, int Depth, int Step = 1>
VOXCC_HD inline uint64_t same_column(const uint64_t* a, const uint64_t* b) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return (same_column_of<ContactOf<K, I>, Depth, Step>(a, b) | ...); }
    (std::make_index_sequence<4>{});
}
/// The columns p of same_column(), and the columns p in which column p of one touches column p - 1 of the other.
template <Contacts K, int Depth, int Step = 1>
VOXCC_HD inline uint64_t touching(const uint64_t* a, const uint64_t* b) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return (touching_of<ContactOf<K, I>, Depth, Step>(a, b) | ...); }
    (std::make_index_sequence<4>{});
}

/// Finds one event column for each pair of runs that touch and must be united. A segment is a range of columns. It starts where a run of
/// either block-row starts, and contains no other start. The event is the last column of a segment that has a contact but no bridged
/// column. In a bridged column other contacts already join the two runs. The additions send a carry from the first column of a segment to
/// the last; a contact or bridged column stops the carry.
/// contact = [0 1 1 0 0 1 0 ..], bridged = 0, starts = [0 1 0 0 0 1 0 ..]  ->  columns 4 and 63
VOXCC_HD inline uint64_t pair_events(uint64_t contact, uint64_t bridged, uint64_t starts) {
    const uint64_t first = starts | 1, last = first >> 1 | uint64_t{1} << 63;
    const uint64_t untouched = (~contact & ~last) + first, unbridged = (~bridged & ~last) + first;
    return last & (contact | ~untouched) & ~bridged & unbridged;
}

/// Runs of two block-rows: the columns in which they start, and the numbers of the first runs.
struct RunsOfTwo {
    uint64_t starts_a, starts_b;
    uint32_t first_a, first_b;
};

/// Calls use(i, run of a, run of b) for events i = 0, 1, ..
template <class Use>
VOXCC_HD inline void for_each_pair(uint64_t events, const RunsOfTwo& runs, const Use& use) {
    // One half at a time: on a GPU a popcount of 64 bits takes twice as long as a popcount of 32 bits.
    uint32_t a = runs.first_a - 1, b = runs.first_b - 1, i = 0;
    VOXCC_UNROLL
    for (int half = 0; half < 64; half += 32) {
        const uint32_t starts_a = uint32_t(runs.starts_a >> half), starts_b = uint32_t(runs.starts_b >> half);
        for (uint32_t e = uint32_t(events >> half); e; e &= e - 1, ++i)
            use(i, a + uint32_t(count_bits(starts_a & up_to_lowest(e))), b + uint32_t(count_bits(starts_b & up_to_lowest(e))));
        a += uint32_t(count_bits(starts_a));
        b += uint32_t(count_bits(starts_b));
    }
}

}  // namespace voxcc::block_runs::tiles
