// Largest difference: connects neighbouring foreground voxels if their values differ by at most a limit. The cross-section is one row. A
// run ends where two neighbouring voxels of the row differ by more than the limit. The rule is not transitive: two voxels of a run may
// differ by more than the limit. So only starts and contacts differ from label_bits.h. Numbering, measuring and painting are the same.
//
//   limit 1, row      [3 4 5 9]     runs (3 4 5) and (9)
//   row before it     [9 5 4 4]     runs (9) and (5 4 4): (3 4 5) touches (5 4 4) in columns 1 and 2, so there are 3 components
#pragma once
#include "kernels3d/base/union_find.h"
#include "kernels3d/engine/cpu/cpu_labelling.h"
#include "kernels3d/engine/cpu/index.h"
#include "kernels3d/engine/cpu/near_events.h"
#include "kernels3d/engine/request.h"

#include <memory>

namespace voxcc::block_runs {

template <Connectivity K, class Id>
class GradientLabelling : public RunLabelling<1, 1, Id> {
public:
    using Base = RunLabelling<1, 1, Id>;
    GradientLabelling(const Request& request, const RowSource& source, ThreadPool& pool)
        : Base(request, source, pool), near_rows_(request.isa, source.value_type(), request.difference) {
        const Runs<Id>& runs = this->runs();
        const Layout& l = runs.layout;
        const auto copies = source.lifetime() == RowSource::Lifetime::source ? ValueWindow::Copies::no : ValueWindow::Copies::yes;
        const int64_t row_bytes = l.extent.nx * size_of(source.value_type()), not_united = block_rows_at_once(l, source);
        for (const Share<Id>& share : runs.shares) {
            const int64_t rows = share.end - share.first, kept = std::min(rows, l.rows + 1 + not_united);
            ShareRows& kept_rows = rows_.emplace_back();
            kept_rows.near = EqualRows(l, share.first, kept);
            kept_rows.last = ValueWindow(std::min(rows, kept + 1), row_bytes, copies);
            if (share.first > 0) kept_rows.first = ValueWindow(std::min(rows, l.rows + 1), row_bytes, copies);
        }
    }

    /// Finds the runs of a packed row and gives them ids. Compares the row with the rows before it in its share. Must be called for the
    /// rows of a share in order.
    /// @param values the nx stored values of the row
    void index_row(Share<Id>& share, int64_t row, const std::byte* values) {
        Runs<Id>& runs = this->runs();
        const Layout& l = runs.layout;
        ShareRows& kept = rows_[number_of_share(share)];
        kept.last.add(row, values);
        if (share.first > 0 && row < share.first + l.rows + 1) kept.first.add(row, values);
        values = kept.last[row];
        for (const Before which : compared_before)
            if (touch_of(K, which) != Touch::none && kept.near.of(row, which, l.rows)) {
                const int64_t other = row - distance(which, row % l.rows, l.rows);
                compare(row, values, other, kept.last[other], kept.near.fill(row, which));
            }
        const int64_t at = row * l.words;
        uint64_t* const starts = runs.starts.data() + at;
        starts[l.words - 1] = 0;  // the last column has no partner
        near_rows_(values, values + near_rows_.value_bytes(), l.extent.nx - 1, starts);
        Id id = share.end_id;
        run_on(this->isa(), [&] {
            id = index_words(at, id);
            separate(runs, share.end_id, id);
        });
        share.end_id = id;
        this->count_runs(share);
    }

    /// Unites the rows [first, end) of a share with the rows before them in the share. All rows before `end` must be indexed.
    void unite_share_rows(const Share<Id>& share, int64_t first, int64_t end) {
        unite_rows(first, end, InShare(share, rows_[number_of_share(share)], this->runs().layout.rows, end), ContactsOf::share);
    }

    /// Unites the first rows of a share with the last rows of the shares before it. May run for several shares at the same time.
    void unite_seam(const Share<Id>& share) {
        const int64_t end = std::min(share.first + this->runs().layout.rows + 1, share.end);
        AtSeam known(*this, share);
        for (int64_t row = share.first; row < end; ++row) {
            known.go_to(row);
            unite_rows(row, row + 1, known, ContactsOf::seam);
        }
    }

private:
    /// Rows of a share whose values or comparisons are kept: the last rows that have been read, and the first rows for the seam.
    struct ShareRows {
        EqualRows near;
        ValueWindow last, first;
    };

    /// What is known when the rows before `end` of a share are indexed.
    class InShare : public KnownRows {
    public:
        InShare(const Share<Id>& share, const ShareRows& kept, int64_t rows, int64_t end)
            : kept_(kept), first_(share.first), rows_(rows), end_(end) {}
        const uint64_t* near(int64_t row, Before which) const override { return row < end_ ? kept_.near.of(row, which, rows_) : nullptr; }
        bool unites(int64_t row, Before which) const override {
            const int64_t d = distance(which, row % rows_, rows_);
            return d && row - d >= first_;
        }
        const std::byte* values(int64_t row) const override { return kept_.last[row]; }

    private:
        const ShareRows& kept_;
        int64_t first_, rows_, end_;
    };

    /// What is known of a row and of the rows of other shares before it.
    class AtSeam : public KnownRows {
    public:
        AtSeam(const GradientLabelling& labelling, const Share<Id>& share)
            : labelling_(labelling), layout_(labelling.runs().layout), first_(share.first), near_(std::size_t(layout_.words * 2)) {}
        void go_to(int64_t row) {
            row_ = row;
            for (const Before which : compared_before) {
                if (!unites(row, which)) continue;
                const int64_t other = row - distance(which, row % layout_.rows, layout_.rows);
                labelling_.compare(row, values(row), other, values(other), near_.data() + int64_t(which) * layout_.words);
            }
        }
        const uint64_t* near(int64_t row, Before which) const override {
            return unites(row, which) ? near_.data() + int64_t(which) * layout_.words : nullptr;
        }
        bool unites(int64_t row, Before which) const override {
            const int64_t d = distance(which, row % layout_.rows, layout_.rows);
            return row == row_ && d && row - d >= 0 && row - d < first_;
        }
        const std::byte* values(int64_t row) const override { return labelling_.kept_values(row); }

    private:
        const GradientLabelling& labelling_;
        const Layout& layout_;
        int64_t first_, row_ = -1;
        std::vector<uint64_t> near_;  // [Before][word]
    };

    std::size_t number_of_share(const Share<Id>& share) const { return std::size_t(&share - this->runs().shares.data()); }

    /// The values of a row near a seam.
    const std::byte* kept_values(int64_t row) const {
        const std::vector<Share<Id>>& shares = this->runs().shares;
        const auto after = std::partition_point(shares.begin(), shares.end(), [&](const Share<Id>& share) { return share.first <= row; });
        const Share<Id>& share = *(after - 1);
        const ShareRows& kept = rows_[number_of_share(share)];
        return row >= share.end - kept.last.size() ? kept.last[row] : kept.first[row];
    }

    /// Sets the bits of the columns in which two rows are foreground and near.
    void compare(int64_t row, const std::byte* values, int64_t other, const std::byte* other_values, uint64_t* near) const {
        const Runs<Id>& runs = this->runs();
        near_rows_(values, other_values, runs.layout.extent.nx, near);
        const uint64_t *const own = runs.row(row).bits, *const with = runs.row(other).bits;
        for (int64_t w = 0; w < runs.layout.words; ++w) near[w] &= own[w] & with[w];
    }

    /// Finds the runs of a row. The starts of the row hold the columns x in which voxels x and x + 1 are near.
    /// @param at index of the first word of the row
    /// @param id of the first run
    /// @return the next free id
    VOXCC_INLINE Id index_words(int64_t at, Id id) {
        Runs<Id>& runs = this->runs();
        const uint64_t* const bits = runs.bits.data() + at;
        uint64_t* const starts = runs.starts.data() + at;
        Id* const before = runs.before.data() + at;
        uint64_t goes_on = 0;
        for (int64_t w = 0; w < runs.layout.words; ++w) {
            const uint64_t near = starts[w] & bits[w], start = bits[w] & ~(near << 1 | goes_on);
            goes_on = near >> 63;
            starts[w] = start;
            before[w] = id - 1;
            id += Id(std::popcount(start));
        }
        return id;
    }

    void unite_rows(int64_t first, int64_t end, const KnownRows& known, ContactsOf which) {
        Runs<Id>& runs = this->runs();
        const std::size_t most_words = std::size_t(runs.layout.words * 4 + words_per_batch), room = most_words + 4;
        const auto events = std::make_unique_for_overwrite<EventWord<Id>[]>(room * every_ended.size());
        NearEvents<Id> none;
        for (const Ended ended : every_ended) none[std::size_t(ended)] = events.get() + room * std::size_t(ended);
        const auto pairs = std::make_unique_for_overwrite<Pair<Id>[]>(most_words * every_ended.size() * 64 + 1);
        Id* const parent = runs.parent.data();
        run_on(this->isa(), [&] {
            NearEvents<Id> found = none;
            for (int64_t row = first; row < end; ++row) {
                NearEventLister<K, Id>(runs, near_rows_, known, row).list(found);
                int64_t most = 0;
                for (std::size_t i = 0; i < found.size(); ++i) most = std::max<int64_t>(most, found[i] - none[i]);
                if (most < words_per_batch && row + 1 < end) continue;
                Pair<Id>* pairs_end = list_pairs(pairs.get(), none[0], found[0], runs, this->isa());
                for (const Ended ended : {Ended::own, Ended::other})
                    pairs_end = list_pairs_if(pairs_end, none[std::size_t(ended)], found[std::size_t(ended)], runs, ended,
                                              [](Id, Id) { return true; });
                unite_pairs<Id>(parent, pairs.get(), pairs_end, which);
                found = none;
            }
        });
    }

    NearRows near_rows_;
    std::vector<ShareRows> rows_;  // one per share
};

/// Labels a volume under Rule::gradient. See block_runs::label().
template <Connectivity K, class Id>
std::unique_ptr<Labelling> label_gradient(const Request& request, RowSource& source, ThreadPool& pool) {
    auto result = std::make_unique<GradientLabelling<K, Id>>(request, source, pool);
    Runs<Id>& runs = result->runs();
    Seconds seconds = pack_and_unite(
        runs, source, pool,
        [&](Share<Id>& share, int64_t row, const std::byte* fetched, RowRange rows, int64_t index) {
            result->index_row(share, row, source.values(fetched, rows, index));
        },
        [&](Share<Id>& share, int64_t first, int64_t end) { result->unite_share_rows(share, first, end); });
    const double begin = clock_seconds();
    pool.for_each(int64_t(runs.shares.size()) - 1, [&](int64_t s) { result->unite_seam(runs.shares[std::size_t(s) + 1]); });
    seconds.unite += clock_seconds() - begin;
    result->number_after(seconds);
    return result;
}

}  // namespace voxcc::block_runs
