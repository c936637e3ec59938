// Short rows: finds the contacts of four block-rows at once. A row of at most 64 columns would use one lane of four.
#pragma once
#include "kernels3d/engine/cpu/unite.h"

#include <algorithm>

namespace voxcc::block_runs {

/// Lanes for list_contacts(): up to four successive block-rows of a layer, of one word each, in a volume with one share.
template <Links C, class Id>
class RowsOfOneWord {
public:
    static constexpr int64_t lanes = 4;

    /// Whether the rows of a volume are short enough, and belong to one share.
    static bool fit(const Runs<Id>& runs) { return runs.layout.words == 1 && runs.shares.size() == 1; }

    /// @param block_row first of the block-rows
    /// @param end block-rows from this one on may not be packed yet; the others must be packed, with their runs indexed
    VOXCC_INLINE RowsOfOneWord(const Runs<Id>& runs, int64_t block_row, int64_t end)
        : bits_(runs.bits.data()), starts_(runs.starts.data()), at_(block_row), rows_(runs.layout.rows) {
        const int64_t y = block_row % rows_, of_layer = rows_ - y, packed = std::min(of_layer, end - block_row);
        const auto first_lanes = [](int64_t n) __attribute__((always_inline)) { return (uint64_t{1} << std::min(n, lanes)) - 1; };
        count_ = std::min(lanes, packed);
        const uint64_t own = first_lanes(packed), not_first = y > 0 ? own : own & ~uint64_t{1}, below = block_row >= rows_ ? own : 0;
        const uint64_t which[side_count] = {
            own, not_first, below, below & not_first, below & first_lanes(of_layer - 1), first_lanes(packed - 1)};
        std::copy_n(which, side_count, which_);
    }

    /// Number of block-rows: four, or fewer at the end of a layer or before `end`.
    VOXCC_INLINE int64_t count() const { return count_; }

    /// Lists the words of the block-rows with events.
    /// @param out must have room for 16 events, and for 4 more
    /// @return one past the last word with events
    VOXCC_INLINE EventWord<Id>* list_all(EventWord<Id>* out) { return list_contacts<C>(out, *this); }

    VOXCC_INLINE bool known(Side side) const { return which_[std::size_t(side)] != 0; }
    template <int R>
    VOXCC_INLINE void read(CrossSection<R>& section, Side side) const {
        const Columns bit = {1, 2, 4, 8}, which = Columns{} + which_[std::size_t(side)];
        section.read_rows(bits_ + first(side) * R, reinterpret_cast<Columns>((which & bit) == bit));
    }
    VOXCC_INLINE void load_starts(Columns& starts, Side side) const { load(starts, starts_ + first(side), lanes); }
    VOXCC_INLINE EventWord<Id>* list(EventWord<Id>* out, Side side, const Columns& contact, const Columns& bridged,
                                     const Columns& starts) const {
        const Segments segments(contact, bridged, starts);
        return list_events(out, segments.last & segments.touched & ~segments.by_others, Id(at_), Id(first(side)));
    }
    VOXCC_INLINE void skip() const {}
    VOXCC_INLINE void skip(Side) const {}

private:
    VOXCC_INLINE int64_t first(Side side) const {
        switch (side) {
            case Side::own: return at_;
            case Side::before: return at_ - 1;
            case Side::after: return at_ + 1;
            case Side::below: return at_ - rows_;
            case Side::below_before: return at_ - rows_ - 1;
            default: return at_ - rows_ + 1;
        }
    }
    const uint64_t *bits_, *starts_;
    int64_t at_, rows_, count_;
    uint64_t which_[side_count];  // [side] bit i: the block-row on this side of lane i exists
};

}  // namespace voxcc::block_runs
