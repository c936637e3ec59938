// Multi-label, phase "unite": finds the columns in which runs of a row touch runs of equal value in the four rows before it. The bit logic
// is the logic of unite.h. A contact is a column in which the values of both rows are equal.
//
// The diagonal rows are not compared by voxels. In most columns, the rows between state whether the row and its diagonal row D are equal.
// If the row equals a row M between, it equals D where M equals D. If M equals D, it equals D where it equals M. The values of
// the runs are compared in the other columns.
//
//      z-1:  D C          own D:  over B, if own = B or B = D is known; over C, if own = C or C = D is known
//      z  :  B own
#pragma once
#include "kernels3d/engine/cpu/equal_rows.h"
#include "kernels3d/engine/cpu/unite.h"

namespace voxcc::block_runs {

/// Which run of an event column must have ended in the column before the event: no run, the run of the row, or the run of the row before
/// it.
enum class Ended { none, own, other };
inline constexpr std::array every_ended{Ended::none, Ended::own, Ended::other};

/// Ends of lists of words with events.
template <class Id>
struct ValueEvents {
    EventWord<Id>* equal;                  // columns in which the two rows are equal
    std::array<EventWord<Id>*, 3> unsure;  // [Ended] columns in which the values of the runs must be compared
    /// Number of words in the longest list. @param none the beginnings of the lists
    int64_t most_words(const ValueEvents& none) const {
        int64_t most = equal - none.equal;
        for (std::size_t i = 0; i < unsure.size(); ++i) most = std::max<int64_t>(most, unsure[i] - none.unsure[i]);
        return most;
    }
};

/// Appends the pairs of runs that must be united.
/// @param joins called as joins(run, run); returns whether to append the pair
/// @return one past the last pair
template <class Id, class Joins>
VOXCC_INLINE Pair<Id>* list_pairs_if(Pair<Id>* out, const EventWord<Id>* words, const EventWord<Id>* end, const Runs<Id>& runs, Ended ended,
                                     const Joins& joins) {
    const uint64_t* const starts = runs.starts.data();
    const Id* const before = runs.before.data();
    for (; words != end; ++words)
        for (uint64_t e = words->columns; e; e &= e - 1) {
            const uint64_t up_to = e ^ (e - 1), earlier = up_to >> 1;
            const uint64_t own = starts[words->own] & (ended == Ended::own ? earlier : up_to);
            const uint64_t other = starts[words->other] & (ended == Ended::other ? earlier : up_to);
            *out = {before[words->own] + Id(std::popcount(own)), before[words->other] + Id(std::popcount(other))};
            out += joins(out->a, out->b);
        }
    return out;
}

/// Lists the words of a row with events, for each of the rows before it.
template <Connectivity K, class Id>
class ValueEventLister {
public:
    VOXCC_INLINE ValueEventLister(const Runs<Id>& runs, const JoinedRows& known, int64_t row)
        : runs_(runs), words_(runs.layout.words), row_(row), own_(runs.row(row)) {
        const int64_t rows = runs.layout.rows, y = row % rows;
        for (const Before which : every_before) unites_[int(which)] = touch_of(K, which) != Touch::none && known.unites(row, which);
        own_before_ = known.joined(row, Before::before);
        if (touch_of(K, Before::below) == Touch::none) return;
        // Equal columns of neighbouring rows, on the paths over which other contacts lead to the rows below (see EventLister).
        own_below_ = known.joined(row, Before::below);
        const uint64_t* const before_below = y > 0 ? known.joined(row - 1, Before::below) : nullptr;
        const uint64_t* const lower_before = own_below_ ? known.joined(row - rows, Before::before) : nullptr;
        over_before_ = {own_before_, before_below};
        before_over_below_ = {own_below_, lower_before};
        if (touch_of(K, Before::below_after) == Touch::none || y + 1 == rows) return;
        over_after_ = {known.joined(row + 1, Before::before), known.joined(row + 1, Before::below)};
        after_over_below_ = {own_below_, unites_[int(Before::below_after)] ? known.joined(row - rows + 1, Before::before) : nullptr};
    }

    /// Appends the words with events.
    /// @param out each list must have room for 4 events per word, and for 4 more
    VOXCC_INLINE void list(ValueEvents<Id>& out) const {
        State state;
        for (int64_t w = 0; w < words_; w += 4) {
            Group own;
            own.voxels.read(own_.bits, words_, w);
            if (!any(own.voxels.all())) {
                state = State();
                continue;
            }
            load(own.starts, own_.starts + w, words_ - w);
            own.ended = own.voxels.shifted[0] & (~own.voxels.row[0] | own.starts);
            const Joined over_before = read(over_before_, w), before_over_below = read(before_over_below_, w);
            compared<Before::before>(out, state, own_before_, Columns{}, own, w);
            compared<Before::below>(out, state, own_below_, over_before.by_both & before_over_below.by_both, own, w);
            diagonal<Before::below_before>(out, state, over_before, before_over_below, own, w);
            diagonal<Before::below_after>(out, state, read(over_after_, w), read(after_over_below_, w), own, w);
        }
    }

private:
    /// Equal columns on a path over a row between: of the row and the row between, and of the row between and its diagonal row.
    struct Path {
        const uint64_t *first = nullptr, *second = nullptr;
    };
    /// Columns of a path that join a row to its diagonal row, and columns in which the path states whether the two are equal.
    struct Joined {
        Columns by_both, by_either;
    };
    /// Four words of the row: its voxels, where its runs start, and the columns after the last columns of its runs.
    struct Group {
        CrossSection<1> voxels;
        Columns starts, ended;
    };
    /// Results that the next four words need, per row before it.
    struct State {
        Columns joined[4] = {}, bridged[4] = {};
    };

    VOXCC_INLINE Joined read(const Path& path, int64_t w) const {
        if (!path.first || !path.second) return {Columns{}, Columns{}};
        Columns first, second;
        load(first, path.first + w, words_ - w);
        load(second, path.second + w, words_ - w);
        return {first & second, first | second};
    }

    /// Lists the events with a row that has been compared with the row.
    template <Before which>
    VOXCC_INLINE void compared(ValueEvents<Id>& out, State& state, const uint64_t* equal_bits, const Columns& bridged, const Group& own,
                               int64_t w) const {
        if (!unites_[int(which)]) return;
        const int64_t other_row = row_ - distance(which, row_ % runs_.layout.rows, runs_.layout.rows);
        const BlockRow<Id> row = runs_.row(other_row);
        CrossSection<1> equal;
        equal.read(equal_bits, words_, w);
        Columns event, starts;
        load(starts, row.starts + w, words_ - w);
        pairs_to_unite(event, state.joined[int(which)], equal.row[0], bridged, own.starts | starts);
        out.equal = list_events(out.equal, event, Id(row_ * words_ + w), Id(other_row * words_ + w));
        if constexpr (touch_of(K, which) == Touch::next_column_too) {
            CrossSection<1> other;
            other.read(row.bits, words_, w);
            slanted(out, equal.row[0] | equal.shifted[0], own, other, starts, w, other_row);
        }
    }

    /// Lists the events with a diagonal row.
    template <Before which>
    VOXCC_INLINE void diagonal(ValueEvents<Id>& out, State& state, const Joined& path, const Joined& other_path, const Group& own,
                               int64_t w) const {
        if (!unites_[int(which)]) return;
        const int64_t other_row = row_ - distance(which, row_ % runs_.layout.rows, runs_.layout.rows);
        const BlockRow<Id> row = runs_.row(other_row);
        const Columns bridged = path.by_both | other_path.by_both;
        CrossSection<1> other;
        other.read(row.bits, words_, w);
        Columns starts;
        load(starts, row.starts + w, words_ - w);
        const Columns unknown = own.voxels.row[0] & other.row[0] & ~(path.by_either | other_path.by_either);
        if constexpr (touch_of(K, which) == Touch::next_column_too) {
            const Columns left = __builtin_shufflevector(state.bridged[int(which)], bridged, 3, 4, 5, 6) >> 63;
            slanted(out, bridged | bridged << 1 | left, own, other, starts, w, other_row);
            state.bridged[int(which)] = bridged;
        }
        state.joined[int(which)] = Columns{};
        if (!any(unknown)) return;
        Columns event;
        pairs_to_unite(event, state.joined[int(which)], unknown, bridged, own.starts | starts);
        append(out, Ended::none, event, w, other_row);
    }

    /// Lists columns in which a run of one row starts, and a run of the other row ended in the column before.
    /// @param joined columns in which the rows are equal here or in the column before, so that such runs have other values
    VOXCC_INLINE void slanted(ValueEvents<Id>& out, const Columns& joined, const Group& own, const CrossSection<1>& other,
                              const Columns& starts, int64_t w, int64_t other_row) const {
        const Columns other_ended = other.shifted[0] & (~other.row[0] | starts);
        const Columns own_begins = own.starts & other_ended & ~joined, other_begins = starts & own.ended & ~joined;
        if (!any(own_begins | other_begins)) return;
        append(out, Ended::other, own_begins, w, other_row);
        append(out, Ended::own, other_begins, w, other_row);
    }

    VOXCC_INLINE void append(ValueEvents<Id>& out, Ended ended, const Columns& events, int64_t w, int64_t other_row) const {
        EventWord<Id>*& end = out.unsure[std::size_t(ended)];
        end = list_events(end, events, Id(row_ * words_ + w), Id(other_row * words_ + w));
    }

    const Runs<Id>& runs_;
    int64_t words_, row_;
    BlockRow<Id> own_;
    std::array<bool, 4> unites_{};  // [Before]
    const uint64_t *own_before_ = nullptr, *own_below_ = nullptr;
    Path over_before_, before_over_below_;  // to below_before
    Path over_after_, after_over_below_;    // to below_after
};

}  // namespace voxcc::block_runs
