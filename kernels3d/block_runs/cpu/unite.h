// Phase "unite": gives block-runs that touch the same root. Bit logic finds the pairs; each pair needs one union.
#pragma once
#include "kernels3d/block_runs/cpu/events.h"
#include "kernels3d/union_find.h"

namespace voxcc::block_runs {

/// Which contacts of a block-row are listed. `share`: contacts inside the share of a thread, while other shares are still being packed.
/// `seam`: contacts of the first block-rows of a share with earlier shares, after all shares are packed.
enum class ContactsOf { share, seam };

/// Finds the columns in which runs of a block-row must be united with runs of the four block-rows before it.
///
/// A contact needs no union where other contacts in the same column join the two runs. The path for `below` leads over `before` and
/// `below_before`. The path for a diagonal leads over either of the two block-rows between. A contact on a path may be skipped in turn
/// because of its own path. This ends at y = 0, so no contact is skipped because of itself.
template <Links C, class Id>
class EventLister {
public:
    static constexpr int R = C.rows();
    using Section = CrossSection<R>;

    /// @param share_first first block-row of the share
    /// @param packed_end block-rows from this one on may not be packed yet
    /// @param block_row must be packed, with its runs indexed
    VOXCC_INLINE EventLister(const Runs<Id>& runs, int64_t share_first, int64_t packed_end, int64_t block_row, ContactsOf which)
        : words_(runs.layout.words), own_first_(block_row * runs.layout.words) {
        const int64_t rows = runs.layout.rows, y = block_row % rows;
        const auto neighbour = [&](Neighbour & n, bool inside, int64_t at) __attribute__((always_inline)) {
            n.known = inside && at >= (which == ContactsOf::share ? share_first : 0) && at < packed_end;
            n.listed = n.known && (which == ContactsOf::share || at < share_first);
            n.first = at * words_;
            n.row = n.known ? runs.row(at) : runs.row(block_row);
        };
        own_ = runs.row(block_row);
        neighbour(before_, y > 0, block_row - 1);
        neighbour(after_, y + 1 < rows, block_row + 1);
        if (C.has_below()) {
            neighbour(below_, true, block_row - rows);
            neighbour(below_before_, y > 0, block_row - rows - 1);
            neighbour(below_after_, y + 1 < rows, block_row - rows + 1);
        }
    }

    /// Lists the words with events.
    /// @param out must have room for 4 events per word, and for 4 more
    /// @return one past the last word with events
    VOXCC_INLINE EventWord<Id>* list(EventWord<Id>* out) {
        Columns joined[4] = {};
        for (int64_t w = 0; w < words_; w += 4) {
            Section own, before, below, below_before, after, below_after;
            own.read(own_.bits, words_, w);
            if (!any(own.all())) {
                for (Columns& j : joined) j = Columns{};
                continue;
            }
            Columns own_starts, contact, own_before{}, before_below{}, lower_before{}, own_below{};
            load(own_starts, own_.starts + w, words_ - w);
            const auto unite_with = [&](const Neighbour& n, Columns& j, const Columns& bridged) __attribute__((always_inline)) {
                Columns starts, event;
                load(starts, n.row.starts + w, words_ - w);
                pairs_to_unite(event, j, contact, bridged, own_starts | starts);
                if (n.listed) out = list_events(out, event, Id(own_first_ + w), Id(n.first + w));
            };
            if (before_.known) {
                before.read(before_.row.bits, words_, w);
                same_column<C.before>(own_before, own, before);
                touching<C.before>(contact, own, before);
                unite_with(before_, joined[0], Columns{});
            }
            if (!C.has_below()) continue;
            if (below_.known) {
                below.read(below_.row.bits, words_, w);
                same_column<C.below>(own_below, own, below);
            }
            if (below_before_.known) {
                below_before.read(below_before_.row.bits, words_, w);
                if (before_.known) same_column<C.below>(before_below, before, below_before);
                if (below_.known) same_column<C.before>(lower_before, below, below_before);
            }
            if (below_.known) {
                touching<C.below>(contact, own, below);
                unite_with(below_, joined[1], own_before & before_below & lower_before);
            }
            if (!C.has_diagonals()) continue;
            // Few contacts with diagonal rows need a union. Segments continue a bridged column up to the next start.
            const auto unite_with_diagonal = [&](const Neighbour& n, Columns& j, const Columns& bridged) __attribute__((always_inline)) {
                Columns starts;
                load(starts, n.row.starts + w, words_ - w);
                if (any(contact & ~bridged & (~(bridged << 1) | own_starts | starts))) unite_with(n, j, bridged);
                else j = Columns{};
            };
            if (below_before_.known) {
                touching<C.below_before>(contact, own, below_before);
                unite_with_diagonal(below_before_, joined[2], (own_before & before_below) | (own_below & lower_before));
            }
            if (below_after_.known) {
                below_after.read(below_after_.row.bits, words_, w);
                Columns after_own{}, after_below{}, lower_after{};
                if (after_.known) {
                    after.read(after_.row.bits, words_, w);
                    same_column<C.before>(after_own, after, own);
                    same_column<C.below>(after_below, after, below_after);
                }
                if (below_.known) same_column<C.before>(lower_after, below_after, below);
                touching<C.below_after>(contact, own, below_after);
                unite_with_diagonal(below_after_, joined[3], (after_own & after_below) | (own_below & lower_after));
            }
        }
        return out;
    }

private:
    struct Neighbour {
        BlockRow<Id> row;
        int64_t first = 0;                   // index of its first word in Runs::starts
        bool known = false, listed = false;  // known: may be read; listed: pairs with it are listed
    };
    int64_t words_, own_first_;
    BlockRow<Id> own_;
    Neighbour before_, after_, below_, below_before_, below_after_;
};

}  // namespace voxcc::block_runs
