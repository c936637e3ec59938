// Multi-label: connects touching voxels only if they have the same value. The cross-section is one row, and a new value starts a new run.
// So only starts and contacts differ from label_bits.h. Numbering, measuring and painting are the same.
#pragma once
#include "kernels3d/engine/cpu/cpu_labelling.h"
#include "kernels3d/engine/cpu/index.h"
#include "kernels3d/engine/cpu/value_events.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/value_bits.h"
#include "kernels3d/simd/simd.h"

#include <algorithm>
#include <memory>

namespace voxcc::block_runs {

/// The runs of a volume and the value of each run. This class is compiled once for all connectivities.
template <class Id>
class ValueRuns : public RunLabelling<1, 1, Id> {
public:
    using Base = RunLabelling<1, 1, Id>;
    ValueRuns(Connectivity connectivity, const Request& request, const RowSource& source, ThreadPool& pool)
        : Base(request, source, pool),
          connectivity_(connectivity),
          type_(source.value_type()),
          value_(std::size_t(request.extent.voxels()) + 1 + 8) {
        this->runs().begin_on_small_pages(value_);
        value_[0] = 0;
        const Runs<Id>& runs = this->runs();
        const Layout& l = runs.layout;
        const bool stay = source.lifetime() == RowSource::Lifetime::source;
        for (const Share<Id>& share : runs.shares) {
            const int64_t rows = share.end - share.first;
            const int64_t not_united = reads_in_order(runs, source) ? rows : block_rows_at_once(l, source);
            equal_.emplace_back(l, share.first, std::min(rows, l.rows + 1 + not_united));
            window_.emplace_back(std::min(rows, l.rows + 2), l.extent.nx * size_of(source.value_type()),
                                 stay ? ValueWindow::Copies::no : ValueWindow::Copies::yes);
        }
    }

    /// Finds the runs of a packed row and gives them ids. Compares the row with the rows before it in its share. Must be called for the
    /// rows of a share in order.
    /// @param values the nx voxels of the row, of the type of the source
    void index_row(Share<Id>& share, int64_t row, const std::byte* values) {
        visit_scalar(type_, [&]<class T>(std::type_identity<T>) { index_row_of(share, row, reinterpret_cast<const T*>(values)); });
    }

    std::vector<std::uint64_t> source_values() const override {
        std::vector<std::uint64_t> values(std::size_t(this->count()));
        const Runs<Id>& runs = const_cast<ValueRuns*>(this)->runs();
        for (const Share<Id>& share : runs.shares)
            for (Id i = share.first_id; i < share.end_id; ++i)
                if (runs.parent[std::size_t(i)] == i) values[std::size_t(runs.label[std::size_t(i)]) - 1] = value_[std::size_t(i)];
        return values;
    }

protected:
    std::size_t number_of_share(const Share<Id>& share) { return std::size_t(&share - this->runs().shares.data()); }

    const EqualRows& equal_rows_of(const Share<Id>& share) { return equal_[number_of_share(share)]; }

    /// [run id] value_bits()
    const uint64_t* run_values() const { return value_.data(); }

private:
    template <class T>
    void index_row_of(Share<Id>& share, int64_t row, const T* values) {
        Runs<Id>& runs = this->runs();
        const Layout& l = runs.layout;
        const int64_t at = row * l.words;
        compare(share, row, values);
        const int64_t later_ids = (share.end - row - 1) * l.extent.nx;  // ids of the share that only later rows may use
        Id id = share.end_id;
        run_on(this->isa(), [&] {
            const bool may_write_past = later_ids >= values_at_once;
            id = may_write_past ? index_words<values_at_once>(values, at, id) : index_words<0>(values, at, id);
            separate(runs, share.end_id, id);
        });
        share.end_id = id;
        this->count_runs(share);
    }

    /// Finds the runs of a row whose starts hold the result of compare(), and stores the value of each run.
    /// @tparam Few this number of values is stored for each word without a branch, and later values overwrite those that are not used
    /// @param at index of the first word of the row
    /// @param id of the first run
    /// @return the next free id
    template <int Few, class T>
    VOXCC_INLINE Id index_words(const T* values, int64_t at, Id id) {
        Runs<Id>& runs = this->runs();
        const uint64_t* const bits = runs.bits.data() + at;
        uint64_t* const starts = runs.starts.data() + at;  // so far, bit x: voxel x is foreground and equals voxel x + 1
        Id* const before = runs.before.data() + at;
        uint64_t* const value = value_.data();
        uint64_t goes_on = 0;
        for (int64_t w = 0; w < runs.layout.words; ++w, values += 64) {
            const uint64_t same = starts[w], start = bits[w] & ~(same << 1 | goes_on);
            goes_on = same >> 63;
            starts[w] = start;
            before[w] = id - 1;
            uint64_t rest = start;
            const int count = std::popcount(start);
            const auto add = [&](int i) __attribute__((always_inline)) {
                value[std::size_t(id) + std::size_t(i)] = value_bits(values[std::countr_zero(rest) % 64]);
                rest &= rest - 1;
            };
            for (int i = 0; i < Few; ++i) add(i);
            for (int i = Few; i < count; ++i) add(i);
            id += Id(count);
        }
        return id;
    }

    /// Compares a row with itself, moved by one column, and with the rows before it. In the starts of the row, bit x is set where voxel x
    /// is foreground and equals voxel x + 1. equal_ receives the columns in which the row equals a row before it.
    template <class T>
    void compare(const Share<Id>& share, int64_t row, const T* values) {
        Runs<Id>& runs = this->runs();
        const Layout& l = runs.layout;
        EqualRows& equal = equal_[number_of_share(share)];
        ValueWindow& window = window_[number_of_share(share)];
        window.add(row, reinterpret_cast<const std::byte*>(values));
        std::array<Comparison<T>, 3> comparisons;
        std::size_t count = 0;
        const auto with_row_before = [&](Before which) { return row - distance(which, row % l.rows, l.rows); };
        uint64_t* const starts = runs.starts.data() + row * l.words;
        starts[l.words - 1] = 0;
        const uint64_t* const own = runs.row(row).bits;
        comparisons[count++] = {values + 1, own, l.extent.nx - 1, starts};
        for (const Before which : compared_before)
            if (touch_of(connectivity_, which) != Touch::none && equal.of(row, which, l.rows))
                comparisons[count++] = {reinterpret_cast<const T*>(window[with_row_before(which)]), runs.row(with_row_before(which)).bits,
                                        l.extent.nx, equal.fill(row, which)};
        equal_rows<T>(this->isa(), values, own, std::span(comparisons).first(count));
    }

    static constexpr int values_at_once = 4;

    Connectivity connectivity_;
    ScalarType type_;
    Buffer<uint64_t> value_;           // [run id] value_bits()
    std::vector<EqualRows> equal_;     // one per share
    std::vector<ValueWindow> window_;  // one per share
};

/// A labelled volume with the value of each run.
template <Connectivity K, class Id>
class ValueLabelling : public ValueRuns<Id> {
public:
    ValueLabelling(const Request& request, const RowSource& source, ThreadPool& pool) : ValueRuns<Id>(K, request, source, pool) {}

    /// Unites the rows [first, end) of a share with the rows before them in the share. All rows before `end` must be indexed.
    void unite_share_rows(const Share<Id>& share, int64_t first, int64_t end) {
        const JoinedRows known(this->equal_rows_of(share), {share.first, end}, {share.first, end}, this->runs().layout.rows);
        unite_rows(first, end, known, ContactsOf::share);
    }

    /// Unites the first rows of a share with the last rows of the shares before it. The input values are no longer in memory, so they are
    /// painted from the runs. May run for several shares at the same time.
    void unite_seam(const Share<Id>& share) {
        const Runs<Id>& runs = this->runs();
        const Layout& l = runs.layout;
        PaintedRows own(*this, 1), before(*this, 4);  // three rows of the layer below, or the row before the share
        EqualRows equal(l, 0, 1);
        for (int64_t row = share.first; row < std::min(share.first + l.rows + 1, share.end); ++row) {
            const JoinedRows known(equal, {row, row + 1}, {0, share.first}, l.rows);
            for (const Before which : compared_before) {
                if (touch_of(K, which) == Touch::none || !known.unites(row, which)) continue;
                const int64_t other = row - distance(which, row % l.rows, l.rows);
                const Comparison<uint64_t> comparison{before.of(other), runs.row(other).bits, l.extent.nx, equal.fill(row, which)};
                equal_rows<uint64_t>(this->isa(), own.of(row), runs.row(row).bits, {&comparison, 1});
            }
            unite_rows(row, row + 1, known, ContactsOf::seam);
        }
    }

private:
    /// The values of the voxels of the last rows that were asked for, painted from the runs.
    class PaintedRows {
    public:
        /// @param kept number of rows in succession that are kept
        PaintedRows(ValueLabelling& labelling, int64_t kept)
            : labelling_(labelling),
              nx_(labelling.runs().layout.extent.nx),
              rows_(std::size_t(kept), -1),
              values_(std::size_t(kept * nx_)) {}
        const uint64_t* of(int64_t row) {
            const std::size_t slot = std::size_t(row) % rows_.size();
            uint64_t* const values = values_.data() + int64_t(slot) * nx_;
            if (rows_[slot] != row) labelling_.paint_values(row, values);
            rows_[slot] = row;
            return values;
        }

    private:
        ValueLabelling& labelling_;
        int64_t nx_;
        std::vector<int64_t> rows_;  // [slot]: the row whose values are there
        std::vector<uint64_t> values_;
    };

    /// Writes the value of each voxel of a row, 0 for background.
    void paint_values(int64_t row, uint64_t* out) {
        const Runs<Id>& runs = this->runs();
        const BlockRow<Id> r = runs.row(row);
        const PaintRow<Id> painted{r.bits, r.starts, r.before};
        block_runs::paint_rows<uint64_t, Id>(this->isa(), {&painted, 1}, this->run_values(), runs.layout.extent.nx, out, Stores::cached);
    }

    void unite_rows(int64_t first, int64_t end, const JoinedRows& known, ContactsOf which) {
        Runs<Id>& runs = this->runs();
        const std::size_t most_words = std::size_t(runs.layout.words * 4 + words_per_batch), room = most_words + 4;
        const auto events = std::make_unique_for_overwrite<EventWord<Id>[]>(room * 4);
        const auto list = [&](std::size_t number) { return events.get() + room * number; };
        const ValueEvents<Id> none{list(0), {list(1), list(2), list(3)}};
        const auto pairs = std::make_unique_for_overwrite<Pair<Id>[]>(most_words * 4 * 64 + 1);
        Id* const parent = runs.parent.data();
        run_on(this->isa(), [&] {
            ValueEvents<Id> found = none;
            for (int64_t row = first; row < end; ++row) {
                ValueEventLister<K, Id>(runs, known, row).list(found);
                if (found.most_words(none) < words_per_batch && row + 1 < end) continue;
                Pair<Id>* pairs_end = list_pairs(pairs.get(), none.equal, found.equal, runs, this->isa());
                for (const Ended ended : every_ended)
                    pairs_end =
                        list_pairs_if(pairs_end, none.unsure[std::size_t(ended)], found.unsure[std::size_t(ended)], runs, ended,
                                      [value = this->run_values()](Id a, Id b) { return value[std::size_t(a)] == value[std::size_t(b)]; });
                unite_pairs<Id>(parent, pairs.get(), pairs_end, which);
                found = none;
            }
        });
    }
};

/// Labels a volume in which neighbouring voxels are connected if their values are equal. See block_runs::label().
template <Connectivity K, class Id>
std::unique_ptr<Labelling> label_values(const Request& request, RowSource& source, ThreadPool& pool) {
    auto result = std::make_unique<ValueLabelling<K, Id>>(request, source, pool);
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
