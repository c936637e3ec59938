// Phase "unite": gives block-runs that touch the same root. Bit logic finds the pairs; each pair needs one union.
#pragma once
#include "kernels3d/base/union_find.h"
#include "kernels3d/engine/cpu/events.h"

#include <cstdint>

namespace voxcc::block_runs {

/// Which contacts of a block-row are listed. `share`: contacts inside the share of a thread, while other shares are still being packed.
/// `seam`: contacts of the first block-rows of a share with earlier shares, after all shares are packed.
enum class ContactsOf { share, seam };

/// Joins the sets of the runs of each pair. Several threads may do this at the same time for the contacts of seams.
/// @param parent Runs::parent
template <class Id>
VOXCC_INLINE void unite_pairs(Id* parent, const Pair<Id>* pairs, const Pair<Id>* end, ContactsOf which) {
    if (which == ContactsOf::share)
        for (; pairs < end; ++pairs) unite(parent, pairs->a, pairs->b);
    else
        for (; pairs < end; ++pairs) unite_shared(parent, pairs->a, pairs->b);
}

/// A block-row, and the earlier block-rows whose runs its runs may touch. `after` only joins runs of the others.
enum class Side : std::uint8_t { own, before, below, below_before, below_after, after };
inline constexpr std::size_t side_count = 6;

/// Lists the columns in which runs of block-rows must be united with runs of the four block-rows before them, in 4 lanes of 64 columns.
///
/// A contact needs no union where other contacts in the same column join the two runs. The path for `below` leads over `before` and
/// `below_before`. The path for a diagonal leads over either of the two block-rows between. A contact on a path may be skipped in turn
/// because of its own path. This ends at y = 0, so no contact is skipped because of itself.
/// @tparam Lanes WordsOfRow, or RowsOfOneWord (rows_of_one_word.h)
/// @param out must have room for 16 events, and for 4 more
/// @return one past the last word with events
template <Links C, class Lanes, class Id>
VOXCC_INLINE EventWord<Id>* list_contacts(EventWord<Id>* out, Lanes& lanes) {
    CrossSection<C.rows()> own, before, below, below_before, after, below_after;
    lanes.read(own, Side::own);
    if (!any(own.all())) {
        lanes.skip();
        return out;
    }
    Columns own_starts, contact, own_before{}, before_below{}, lower_before{}, own_below{};
    lanes.load_starts(own_starts, Side::own);
    const auto unite_with = [&](Side side, const Columns& bridged) __attribute__((always_inline)) {
        Columns starts;
        lanes.load_starts(starts, side);
        out = lanes.list(out, side, contact, bridged, own_starts | starts);
    };
    if (lanes.known(Side::before)) {
        lanes.read(before, Side::before);
        same_column<C.before>(own_before, own, before);
        touching<C.before>(contact, own, before);
        unite_with(Side::before, Columns{});
    }
    if (!C.has_below()) return out;
    if (lanes.known(Side::below)) {
        lanes.read(below, Side::below);
        same_column<C.below>(own_below, own, below);
    }
    if (lanes.known(Side::below_before)) {
        lanes.read(below_before, Side::below_before);
        if (lanes.known(Side::before)) same_column<C.below>(before_below, before, below_before);
        if (lanes.known(Side::below)) same_column<C.before>(lower_before, below, below_before);
    }
    if (lanes.known(Side::below)) {
        touching<C.below>(contact, own, below);
        unite_with(Side::below, own_before & before_below & lower_before);
    }
    if (!C.has_diagonals()) return out;
    // Few contacts with diagonal rows need a union. Segments continue a bridged column up to the next start.
    const auto unite_with_diagonal = [&](Side side, const Columns& bridged) __attribute__((always_inline)) {
        Columns starts;
        lanes.load_starts(starts, side);
        if (any(contact & ~bridged & (~(bridged << 1) | own_starts | starts))) unite_with(side, bridged);
        else lanes.skip(side);
    };
    if (lanes.known(Side::below_before)) {
        touching<C.below_before>(contact, own, below_before);
        unite_with_diagonal(Side::below_before, (own_before & before_below) | (own_below & lower_before));
    }
    if (lanes.known(Side::below_after)) {
        lanes.read(below_after, Side::below_after);
        Columns after_own{}, after_below{}, lower_after{};
        if (lanes.known(Side::after)) {
            lanes.read(after, Side::after);
            same_column<C.before>(after_own, after, own);
            same_column<C.below>(after_below, after, below_after);
        }
        if (lanes.known(Side::below)) same_column<C.before>(lower_after, below_after, below);
        touching<C.below_after>(contact, own, below_after);
        unite_with_diagonal(Side::below_after, (after_own & after_below) | (own_below & lower_after));
    }
    return out;
}

/// Lanes for list_contacts(): four successive words of one block-row.
template <Links C, class Id>
class WordsOfRow {
public:
    /// @param share_first first block-row of the share
    /// @param packed_end block-rows from this one on may not be packed yet
    /// @param block_row must be packed, with its runs indexed
    VOXCC_INLINE WordsOfRow(const Runs<Id>& runs, int64_t share_first, int64_t packed_end, int64_t block_row, ContactsOf which)
        : words_(runs.layout.words) {
        const int64_t rows = runs.layout.rows, y = block_row % rows;
        const auto neighbour = [&](Side side, bool inside, int64_t at) __attribute__((always_inline)) {
            Neighbour& n = of(side);
            n.known = inside && at >= (which == ContactsOf::share ? share_first : 0) && at < packed_end;
            n.listed = n.known && (which == ContactsOf::share || at < share_first);
            n.first = at * words_;
            n.row = n.known ? runs.row(at) : runs.row(block_row);
        };
        of(Side::own) = {runs.row(block_row), block_row * words_};
        neighbour(Side::before, y > 0, block_row - 1);
        neighbour(Side::after, y + 1 < rows, block_row + 1);
        if (C.has_below()) {
            neighbour(Side::below, true, block_row - rows);
            neighbour(Side::below_before, y > 0, block_row - rows - 1);
            neighbour(Side::below_after, y + 1 < rows, block_row - rows + 1);
        }
    }

    /// Lists the words of the block-row with events.
    /// @param out must have room for 4 events per word, and for 4 more
    /// @return one past the last word with events
    VOXCC_INLINE EventWord<Id>* list_all(EventWord<Id>* out) {
        for (w_ = 0; w_ < words_; w_ += 4) out = list_contacts<C>(out, *this);
        return out;
    }

    VOXCC_INLINE bool known(Side side) const { return of(side).known; }
    template <int R>
    VOXCC_INLINE void read(CrossSection<R>& section, Side side) const {
        section.read(of(side).row.bits, words_, w_);
    }
    VOXCC_INLINE void load_starts(Columns& starts, Side side) const { load(starts, of(side).row.starts + w_, words_ - w_); }
    VOXCC_INLINE EventWord<Id>* list(EventWord<Id>* out, Side side, const Columns& contact, const Columns& bridged, const Columns& starts) {
        const Neighbour& n = of(side);
        Columns event;
        pairs_to_unite(event, joined_[std::size_t(side)], contact, bridged, starts);
        return n.listed ? list_events(out, event, Id(of(Side::own).first + w_), Id(n.first + w_)) : out;
    }
    VOXCC_INLINE void skip(Side side) { joined_[std::size_t(side)] = Columns{}; }
    VOXCC_INLINE void skip() {
        for (Columns& j : joined_) j = Columns{};
    }

private:
    struct Neighbour {
        BlockRow<Id> row;
        int64_t first = 0;                   // index of its first word in Runs::starts
        bool known = false, listed = false;  // known: may be read; listed: pairs with it are listed
    };
    VOXCC_INLINE Neighbour& of(Side side) { return sides_[std::size_t(side)]; }
    VOXCC_INLINE const Neighbour& of(Side side) const { return sides_[std::size_t(side)]; }
    int64_t words_, w_ = 0;
    Neighbour sides_[side_count];
    Columns joined_[side_count] = {};  // see pairs_to_unite()
};

}  // namespace voxcc::block_runs
