// Multi-label, phase "unite": finds the columns in which runs of a row touch runs of equal value in the four rows before it. The bit logic
// is the logic of unite.h. A contact is a column in which the values of both rows are equal.
#pragma once
#include "kernels3d/block_runs/cpu/equal_rows.h"
#include "kernels3d/block_runs/cpu/unite.h"

namespace voxcc::block_runs {

/// Ends of three lists of words with events.
template <class Id>
struct ValueEvents {
    EventWord<Id>* equal;         // columns in which the two rows are equal
    EventWord<Id>* own_begins;    // columns in which a run of the row starts, and a run of the row before it ended in the column before
    EventWord<Id>* other_begins;  // the same for the two rows exchanged
};

/// The row whose run ended in the column before an event.
enum class Ended { own, other };

/// Appends the pairs of runs that touch from column to column and have equal values.
/// @param words columns in which a run of one row starts and the run of the other row has ended
/// @param value [run id] value_bits() of the voxels of the run
/// @return one past the last pair
template <class Id>
VOXCC_INLINE Pair<Id>* list_slanted(Pair<Id>* out, const EventWord<Id>* words, const EventWord<Id>* end, const Runs<Id>& runs,
                                    const uint64_t* value, Ended ended) {
    const uint64_t* const starts = runs.starts.data();
    const Id* const before = runs.before.data();
    for (; words != end; ++words)
        for (uint64_t e = words->columns; e; e &= e - 1) {
            const uint64_t up_to = e ^ (e - 1), earlier = up_to >> 1;
            const uint64_t own = starts[words->own] & (ended == Ended::own ? earlier : up_to);
            const uint64_t other = starts[words->other] & (ended == Ended::other ? earlier : up_to);
            *out = {before[words->own] + Id(std::popcount(own)), before[words->other] + Id(std::popcount(other))};
            out += value[std::size_t(out->a)] == value[std::size_t(out->b)];
        }
    return out;
}

/// @tparam EqualOf (row, Before) -> bits of the columns in which the two rows are equal; null if the row before is not known, or must not
///     be united with
template <Connectivity K, class Id, class EqualOf>
class ValueEventLister {
public:
    VOXCC_INLINE ValueEventLister(const Runs<Id>& runs, const EqualOf& equal_of, int64_t row)
        : runs_(runs), words_(runs.layout.words), row_(row), own_(runs.row(row)) {
        const int64_t rows = runs.layout.rows, y = row % rows;
        for (const Before which : every_before)
            if (touch_of(K, which) != Touch::none) equal_[int(which)] = equal_of(row, which);
        if (touch_of(K, Before::below) == Touch::none) return;
        // Equal columns of neighbouring rows, on the paths over which other contacts lead to the rows below (see EventLister).
        if (y > 0) before_below_ = equal_of(row - 1, Before::below);
        if (equal_[int(Before::below)]) lower_before_ = equal_of(row - rows, Before::before);
        if (touch_of(K, Before::below_after) == Touch::none || y + 1 == rows) return;
        after_own_ = equal_of(row + 1, Before::before);
        after_below_ = equal_of(row + 1, Before::below);
        if (equal_[int(Before::below_after)]) lower_after_ = equal_of(row - rows + 1, Before::before);
    }

    /// Appends the words with events.
    /// @param out each list must have room for 4 events per word, and for 4 more
    VOXCC_INLINE void list(ValueEvents<Id>& out) const {
        Columns joined[4] = {};
        for (int64_t w = 0; w < words_; w += 4) {
            CrossSection<1> own;
            own.read(own_.bits, words_, w);
            if (!any(own.all())) {
                for (Columns& j : joined) j = Columns{};
                continue;
            }
            Columns own_before, own_below, before_below, lower_before, after_own, after_below, lower_after;
            read(own_before, equal_[int(Before::before)], w);
            read(own_below, equal_[int(Before::below)], w);
            read(before_below, before_below_, w);
            read(lower_before, lower_before_, w);
            read(after_own, after_own_, w);
            read(after_below, after_below_, w);
            read(lower_after, lower_after_, w);
            pairs_with<Before::before>(out, joined, Columns{}, own, w);
            pairs_with<Before::below>(out, joined, own_before & before_below & lower_before, own, w);
            pairs_with<Before::below_before>(out, joined, (own_before & before_below) | (own_below & lower_before), own, w);
            pairs_with<Before::below_after>(out, joined, (after_own & after_below) | (own_below & lower_after), own, w);
        }
    }

private:
    VOXCC_INLINE void read(Columns& v, const uint64_t* bits, int64_t w) const {
        v = Columns{};
        if (bits) load(v, bits + w, words_ - w);
    }

    template <Before which>
    VOXCC_INLINE void pairs_with(ValueEvents<Id>& out, Columns* joined, const Columns& bridged, const CrossSection<1>& own,
                                 int64_t w) const {
        constexpr Touch touch = touch_of(K, which);
        const uint64_t* const equal_bits = equal_[int(which)];
        if (touch == Touch::none || !equal_bits) return;
        const int64_t other_row = row_ - distance(which, row_ % runs_.layout.rows, runs_.layout.rows);
        const BlockRow<Id> row = runs_.row(other_row);
        const Id own_word = Id(row_ * words_ + w), other_word = Id(other_row * words_ + w);
        CrossSection<1> equal;
        equal.read(equal_bits, words_, w);
        Columns event, own_starts, starts;
        load(own_starts, own_.starts + w, words_ - w);
        load(starts, row.starts + w, words_ - w);
        pairs_to_unite(event, joined[int(which)], equal.row[0], bridged, own_starts | starts);
        out.equal = list_events(out.equal, event, own_word, other_word);
        if constexpr (touch == Touch::next_column_too) {
            // Look for columns in which the rows are equal neither here nor in the column before. A run that starts here may touch a run
            // of the other row that ended in the column before.
            CrossSection<1> other;
            other.read(row.bits, words_, w);
            const Columns apart = ~equal.row[0] & ~equal.shifted[0];
            const Columns own_ended = own.shifted[0] & (~own.row[0] | own_starts);
            const Columns other_ended = other.shifted[0] & (~other.row[0] | starts);
            const Columns own_begins = apart & own_starts & other_ended, other_begins = apart & starts & own_ended;
            if (any(own_begins)) out.own_begins = list_events(out.own_begins, own_begins, own_word, other_word);
            if (any(other_begins)) out.other_begins = list_events(out.other_begins, other_begins, own_word, other_word);
        }
    }

    const Runs<Id>& runs_;
    int64_t words_, row_;
    BlockRow<Id> own_;
    std::array<const uint64_t*, 4> equal_{};
    const uint64_t *before_below_ = nullptr, *lower_before_ = nullptr, *after_own_ = nullptr, *after_below_ = nullptr,
                   *lower_after_ = nullptr;
};

}  // namespace voxcc::block_runs
