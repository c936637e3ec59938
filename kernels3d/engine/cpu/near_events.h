// Largest difference, phase "unite": finds the columns in which runs of a row touch runs of the four rows before it. The bit logic is the
// logic of unite.h. A contact is a column in which the values of both rows are near. Each run is connected in itself, so one contact per
// pair of runs suffices, although the rule is not transitive.
//
// Values are compared only where the result matters. The row is compared with the rows `before` and `below` in every column. These
// contacts, and paths over rows between, join most pairs of runs. The other pairs of voxels are compared only in groups of columns in which
// a segment (see pairs_to_unite()) of two runs is not joined yet.
#pragma once
#include "kernels3d/engine/cpu/equal_rows.h"
#include "kernels3d/engine/cpu/unite.h"
#include "kernels3d/engine/cpu/value_events.h"
#include "kernels3d/simd/near.h"

namespace voxcc::block_runs {

/// Ends of lists of words with events, by the run that has ended in the column before the event.
template <class Id>
using NearEvents = std::array<EventWord<Id>*, every_ended.size()>;

/// The comparisons and values that are in memory.
class KnownRows {
public:
    virtual ~KnownRows() = default;
    /// The bits of the columns in which the two rows are foreground and near; null if these columns are not known.
    virtual const uint64_t* near(int64_t row, Before which) const = 0;
    /// Whether the row must be united with the row before it.
    virtual bool unites(int64_t row, Before which) const = 0;
    /// The values of a row.
    virtual const std::byte* values(int64_t row) const = 0;
};

template <Connectivity K, class Id>
class NearEventLister {
public:
    VOXCC_INLINE NearEventLister(const Runs<Id>& runs, const NearRows& near_rows, const KnownRows& known, int64_t row)
        : runs_(runs), near_rows_(near_rows), known_(known), words_(runs.layout.words), row_(row), own_(runs.row(row)) {
        const int64_t rows = runs.layout.rows, y = row % rows;
        for (const Before which : every_before) unites_[int(which)] = touch_of(K, which) != Touch::none && known.unites(row, which);
        own_before_ = known.near(row, Before::before);
        if (touch_of(K, Before::below) == Touch::none) return;
        // Contacts of neighbouring rows, on the paths over which other contacts lead to the rows below (see EventLister).
        own_below_ = known.near(row, Before::below);
        over_before_ = {own_before_, y > 0 ? known.near(row - 1, Before::below) : nullptr};
        before_over_below_ = {own_below_, own_below_ ? known.near(row - rows, Before::before) : nullptr};
        if (touch_of(K, Before::below_after) == Touch::none || y + 1 == rows) return;
        over_after_ = {known.near(row + 1, Before::before), known.near(row + 1, Before::below)};
        after_over_below_ = {own_below_, unites_[int(Before::below_after)] ? known.near(row - rows + 1, Before::before) : nullptr};
    }

    /// Appends the words with events.
    /// @param out each list must have room for 4 events per word, and for 4 more
    VOXCC_INLINE void list(NearEvents<Id>& out) const {
        State state;
        for (int64_t w = 0; w < words_; w += 4) {
            Group own;
            own.voxels.read(own_.bits, words_, w);
            if (!any(own.voxels.all())) {
                state = State();
                continue;
            }
            load(own.starts, own_.starts + w, words_ - w);
            const Columns over_before = read(over_before_, w), before_over_below = read(before_over_below_, w);
            list_with<Before::before>(out, state, own_before_, Columns{}, own, w);
            list_with<Before::below>(out, state, own_below_, over_before & before_over_below, own, w);
            list_with<Before::below_before>(out, state, nullptr, over_before | before_over_below, own, w);
            list_with<Before::below_after>(out, state, nullptr, read(over_after_, w) | read(after_over_below_, w), own, w);
        }
    }

private:
    /// Contacts on a path over a row between: of the row and the row between, and of the row between and its diagonal row.
    struct Path {
        const uint64_t *first = nullptr, *second = nullptr;
    };
    /// Four words of the row: its voxels, and where its runs start.
    struct Group {
        CrossSection<1> voxels;
        Columns starts;
    };
    /// Results that the next four words need, per row before it.
    struct State {
        Columns joined[4] = {}, decided[4] = {};
    };

    /// The columns in which both contacts of a path exist.
    VOXCC_INLINE Columns read(const Path& path, int64_t w) const {
        if (!path.first || !path.second) return Columns{};
        Columns first, second;
        load(first, path.first + w, words_ - w);
        load(second, path.second + w, words_ - w);
        return first & second;
    }

    /// Lists the events with a row before it.
    /// @param near_bits columns in which the rows are near; null: not compared yet
    /// @param bridged columns in which other contacts join the runs of the two rows
    template <Before which>
    VOXCC_INLINE void list_with(NearEvents<Id>& out, State& state, const uint64_t* near_bits, const Columns& bridged, const Group& own,
                                int64_t w) const {
        if (!unites_[int(which)]) return;
        constexpr bool slants = touch_of(K, which) == Touch::next_column_too;
        const int64_t other_row = row_ - distance(which, row_ % runs_.layout.rows, runs_.layout.rows);
        const BlockRow<Id> row = runs_.row(other_row);
        CrossSection<1> other;
        other.read(row.bits, words_, w);
        Columns starts;
        load(starts, row.starts + w, words_ - w);
        const Columns both = own.voxels.row[0] & other.row[0], either_starts = own.starts | starts;
        Columns& joined = state.joined[int(which)];
        Columns contact{};
        if (near_bits) load(contact, near_bits + w, words_ - w);
        else if (any(undecided(both, bridged, either_starts, joined))) contact = compare(row_, other_row, Shift::none, w) & both;
        if constexpr (slants) add_slanted<which>(out, contact, state, bridged, own, other, starts, other_row, w);
        Columns event;
        pairs_to_unite(event, joined, contact, bridged, either_starts);
        append(out, Ended::none, event, w, other_row);
    }

    /// Adds the contacts of voxels in neighbouring columns. If one of the two runs goes on in the next column, the contact is a contact in
    /// that column. Otherwise it is an event of its own.
    ///
    ///   own    a a b      own column 1 and other column 2: run a of `own` has ended in column 1, so the event in column 2 is Ended::own
    ///   other  . . c
    template <Before which>
    VOXCC_INLINE void add_slanted(NearEvents<Id>& out, Columns& contact, State& state, const Columns& bridged, const Group& own,
                                  const CrossSection<1>& other, const Columns& starts, int64_t other_row, int64_t w) const {
        const Columns decided = contact | bridged;
        const Columns left = __builtin_shufflevector(state.decided[int(which)], decided, 3, 4, 5, 6) >> 63;
        const Columns decided_before = decided << 1 | left;
        state.decided[int(which)] = decided;
        const Columns own_goes_on = own.voxels.row[0] & ~own.starts, other_goes_on = other.row[0] & ~starts;
        const Columns own_earlier = own.voxels.shifted[0] & other.row[0], other_earlier = own.voxels.row[0] & other.shifted[0];
        const Columns own_ended = own_earlier & ~own_goes_on & ~(other_goes_on & decided_before);
        const Columns other_ended = other_earlier & ~other_goes_on & ~(own_goes_on & decided_before);
        const Columns open = undecided((own_goes_on & other.row[0]) | (other_goes_on & own.voxels.row[0]), decided, own.starts | starts,
                                       state.joined[int(which)]);
        if (any(own_ended | open)) {
            const Columns near = compare(row_, other_row, Shift::own_earlier, w) & own_earlier;
            contact |= near & own_goes_on;
            append(out, Ended::own, near & own_ended, w, other_row);
        }
        if (any(other_ended | open)) {
            const Columns near = compare(row_, other_row, Shift::other_earlier, w) & other_earlier;
            contact |= near & other_goes_on;
            append(out, Ended::other, near & other_ended, w, other_row);
        }
    }

    /// The last columns of the segments that have a possible contact and no decided column.
    /// @param joined as for pairs_to_unite(), before the call
    VOXCC_INLINE static Columns undecided(const Columns& possible, const Columns& decided, const Columns& starts, const Columns& joined) {
        const Columns first = starts | 1, last = first >> 1 | std::uint64_t{1} << 63;
        const Columns impossible = (~possible & ~last) + first, open = (~decided & ~last) + first;
        const Columns settled = decided | ~open;
        const Columns left = __builtin_shufflevector(joined, settled, 3, 4, 5, 6) >> 63;
        const Columns part_of_joined = last & -last & -(left & ~starts);
        return last & (possible | ~impossible) & ~settled & ~part_of_joined;
    }

    /// Which of the two voxels that are compared for a column lies in the column before.
    enum class Shift : std::uint8_t { none, own_earlier, other_earlier };
    /// Compares four words of two rows. The result is not limited to foreground.
    VOXCC_INLINE Columns compare(int64_t row, int64_t other_row, Shift shift, int64_t w) const {
        const int64_t bytes = near_rows_.value_bytes(), first = w * 64, skipped = shift != Shift::none && w == 0 ? 1 : 0;
        const int64_t n = std::min<int64_t>(256, runs_.layout.extent.nx - first) - skipped;
        std::uint64_t bits[4] = {};
        const std::byte* const own = known_.values(row) + (first + skipped - (shift == Shift::own_earlier)) * bytes;
        const std::byte* const other = known_.values(other_row) + (first + skipped - (shift == Shift::other_earlier)) * bytes;
        if (n > 0) near_rows_(own, other, n, bits);
        Columns near;
        std::memcpy(&near, bits, sizeof near);
        if (skipped) near = near << 1 | __builtin_shufflevector(Columns{}, near, 3, 4, 5, 6) >> 63;
        return near;
    }

    VOXCC_INLINE void append(NearEvents<Id>& out, Ended ended, const Columns& events, int64_t w, int64_t other_row) const {
        EventWord<Id>*& end = out[std::size_t(ended)];
        end = list_events(end, events, Id(row_ * words_ + w), Id(other_row * words_ + w));
    }

    const Runs<Id>& runs_;
    const NearRows& near_rows_;
    const KnownRows& known_;
    int64_t words_, row_;
    BlockRow<Id> own_;
    std::array<bool, 4> unites_{};  // [Before]
    const uint64_t *own_before_ = nullptr, *own_below_ = nullptr;
    Path over_before_, before_over_below_;  // to below_before
    Path over_after_, after_over_below_;    // to below_after
};

}  // namespace voxcc::block_runs
