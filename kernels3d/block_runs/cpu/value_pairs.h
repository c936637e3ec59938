// Multi-label, phase "unite": lists the runs of a row that touch runs of equal value in the four rows before it. The bit logic is the
// logic of unite.h. A contact is a column in which the values of both rows are equal.
#pragma once
#include "kernels3d/block_runs/cpu/equal_rows.h"
#include "kernels3d/block_runs/cpu/unite.h"

namespace voxcc::block_runs {

/// @tparam EqualOf (row, Before) -> bits of the columns in which the two rows are equal; null if the row before is not known, or must not
///     be united with
template <Connectivity K, class Id, class EqualOf>
class ValuePairs {
public:
    /// @param value [run id] value_bits() of the voxels of the run
    VOXCC_INLINE ValuePairs(const Runs<Id>& runs, const uint64_t* value, const EqualOf& equal_of, int64_t row)
        : runs_(runs), value_(value), words_(runs.layout.words), row_(row), own_(runs.row(row)) {
        const int64_t rows = runs.layout.rows, y = row % rows;
        for (const Before which : every_before)
            if (touch_of(K, which) != Touch::none) equal_[int(which)] = equal_of(row, which);
        if (touch_of(K, Before::below) == Touch::none) return;
        // Equal columns of neighbouring rows, on the paths over which other contacts lead to the rows below (see PairLister).
        if (y > 0) before_below_ = equal_of(row - 1, Before::below);
        if (equal_[int(Before::below)]) lower_before_ = equal_of(row - rows, Before::before);
        if (touch_of(K, Before::below_after) == Touch::none || y + 1 == rows) return;
        after_own_ = equal_of(row + 1, Before::before);
        after_below_ = equal_of(row + 1, Before::below);
        if (equal_[int(Before::below_after)]) lower_after_ = equal_of(row - rows + 1, Before::before);
    }

    /// Upper bound of the number of pairs of a row of `words` words.
    static constexpr int64_t most_pairs(int64_t words) { return words * 64 * 4 * 3; }

    /// Lists the pairs.
    /// @param out must have room for most_pairs()
    /// @return one past the last pair
    VOXCC_INLINE Pair<Id>* list(Pair<Id>* out) {
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
            out = pairs_with<Before::before>(out, joined, Columns{}, own, w);
            out = pairs_with<Before::below>(out, joined, own_before & before_below & lower_before, own, w);
            out = pairs_with<Before::below_before>(out, joined, (own_before & before_below) | (own_below & lower_before), own, w);
            out = pairs_with<Before::below_after>(out, joined, (after_own & after_below) | (own_below & lower_after), own, w);
        }
        return out;
    }

private:
    VOXCC_INLINE void read(Columns& v, const uint64_t* bits, int64_t w) const {
        v = Columns{};
        if (bits) load(v, bits + w, words_ - w);
    }

    template <Before which>
    VOXCC_INLINE Pair<Id>* pairs_with(Pair<Id>* out, Columns* joined, const Columns& bridged, const CrossSection<1>& own, int64_t w) const {
        constexpr Touch touch = touch_of(K, which);
        const uint64_t* const equal_bits = equal_[int(which)];
        if (touch == Touch::none || !equal_bits) return out;
        const BlockRow<Id> row = runs_.row(row_ - distance(which, row_ % runs_.layout.rows, runs_.layout.rows));
        CrossSection<1> equal;
        equal.read(equal_bits, words_, w);
        Columns event, own_starts, starts;
        load(own_starts, own_.starts + w, words_ - w);
        load(starts, row.starts + w, words_ - w);
        pairs_to_unite(event, joined[int(which)], equal.row[0], bridged, own_starts | starts);
        out = list_pairs(out, event, own_, row, w, words_);
        if constexpr (touch == Touch::next_column_too) {
            // Look for columns in which the rows are equal neither here nor in the column before. A run that starts here may touch a run
            // of the other row that ended in the column before.
            CrossSection<1> other;
            other.read(row.bits, words_, w);
            const Columns apart = ~equal.row[0] & ~equal.shifted[0];
            const Columns own_ended = own.shifted[0] & (~own.row[0] | own_starts);
            const Columns other_ended = other.shifted[0] & (~other.row[0] | starts);
            out = list_slanted(out, apart & own_starts & other_ended, own_, row, w, Ended::other);
            out = list_slanted(out, apart & starts & own_ended, own_, row, w, Ended::own);
        }
        return out;
    }

    enum class Ended { own, other };  // the row whose run ended in the column before the event
    /// Appends the pairs of runs that touch from column to column and have equal values.
    /// @param event columns in which a run of one row starts and the run of the other row has ended
    VOXCC_INLINE Pair<Id>* list_slanted(Pair<Id>* out, const Columns& event, const BlockRow<Id>& a, const BlockRow<Id>& b, int64_t w,
                                        Ended ended) const {
        if (!any(event)) return out;
        for (int i = 0; i < 4 && w + i < words_; ++i)
            for (uint64_t e = event[i]; e; e &= e - 1) {
                const uint64_t up_to = e ^ (e - 1), before = up_to >> 1;
                *out = {a.before[w + i] + Id(std::popcount(a.starts[w + i] & (ended == Ended::own ? before : up_to))),
                        b.before[w + i] + Id(std::popcount(b.starts[w + i] & (ended == Ended::other ? before : up_to)))};
                out += value_[std::size_t(out->a)] == value_[std::size_t(out->b)];
            }
        return out;
    }

    const Runs<Id>& runs_;
    const uint64_t* value_;
    int64_t words_, row_;
    BlockRow<Id> own_;
    std::array<const uint64_t*, 4> equal_{};
    const uint64_t *before_below_ = nullptr, *lower_before_ = nullptr, *after_own_ = nullptr, *after_below_ = nullptr,
                   *lower_after_ = nullptr;
};

}  // namespace voxcc::block_runs
