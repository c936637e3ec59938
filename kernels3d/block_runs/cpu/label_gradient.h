// Gradient: connects neighbouring foreground voxels if their values differ by at most a limit. The cross-section is one row. A run ends
// where two neighbouring voxels of the row differ by more than the limit. The rule is not transitive: two voxels of a run may differ by
// more than the limit. So each row is compared by voxels with the rows before it, once per column offset. Numbering, measuring and painting
// are the same as for the other rules.
//
//   limit 1, row      [3 4 5 9]     runs (3 4 5) and (9)
//   row before it     [9 5 4 4]     runs (9) and (5 4 4): (3 4 5) touches (5 4 4) in columns 1 and 2, so there are 3 components
#pragma once
#include "kernels3d/block_runs/cpu/cpu_labelling.h"
#include "kernels3d/block_runs/cpu/equal_rows.h"
#include "kernels3d/block_runs/cpu/index.h"
#include "kernels3d/simd/near.h"
#include "kernels3d/union_find.h"

#include <memory>

namespace voxcc::block_runs {

template <class Id>
class GradientLabelling : public RunLabelling<1, 1, Id> {
public:
    using Base = RunLabelling<1, 1, Id>;
    GradientLabelling(const Request& request, const RowSource& source, ThreadPool& pool)
        : Base(request, source, pool),
          connectivity_(request.connectivity),
          most_(request.gradient),
          window_(this->runs().layout.rows + 2, request.extent.nx * size_of(source.value_type()),
                  source.lifetime() == RowSource::Lifetime::source ? ValueWindow::Copies::no : ValueWindow::Copies::yes),
          near_(std::size_t(this->runs().layout.words) + 1) {}

    /// Finds the runs of a packed row, and unites them with the runs of the rows before it. Must be called for all rows in order.
    /// @param values the nx voxels of the row, of type T
    template <class T>
    void add_row(Share<Id>& share, int64_t row, const std::byte* values) {
        const Layout& l = this->runs().layout;
        window_.add(row, values);
        share.end_id = index<T>(row, share.end_id);
        for (const Before which : every_before) {
            const Touch touch = touch_of(connectivity_, which);
            const int64_t d = distance(which, row % l.rows, l.rows);
            if (touch == Touch::none || d == 0 || row < d) continue;
            unite_columns<T>(row, row - d, 0);
            if (touch == Touch::same_column) continue;
            unite_columns<T>(row, row - d, 1);
            unite_columns<T>(row - d, row, 1);
        }
        this->count_runs(share);
    }

private:
    /// Compares voxel x of row a with voxel x + shift of row b, for all columns x.
    /// @param shift 0 or 1
    template <class T>
    void compare(int64_t a, int64_t b, int64_t shift) {
        const auto values = [&](int64_t row) { return reinterpret_cast<const T*>(window_[row]); };
        const int64_t columns = this->runs().layout.extent.nx - shift;
        near_[std::size_t(words_of(columns))] = 0;  // the last word of the row, if the last column has no partner
        near_row<T>(this->isa(), values(a), values(b) + shift, most_, columns, near_.data());
    }

    /// @return the next free id
    template <class T>
    Id index(int64_t row, Id first) {
        Runs<Id>& runs = this->runs();
        compare<T>(row, row, 1);
        const int64_t at = row * runs.layout.words;
        Id id = first;
        uint64_t goes_on = 0;
        for (int64_t w = 0; w < runs.layout.words; ++w) {
            const uint64_t bits = runs.bits[std::size_t(at + w)], joined = near_[std::size_t(w)] & bits;
            const uint64_t start = bits & ~(joined << 1 | goes_on);
            goes_on = joined >> 63;
            runs.starts[std::size_t(at + w)] = start;
            runs.before[std::size_t(at + w)] = id - 1;
            id += Id(std::popcount(start));
        }
        separate(runs, first, id);
        return id;
    }

    /// Unites the runs of voxel x of row a and of voxel x + shift of row b, for all columns x in which these differ by at most the limit.
    template <class T>
    void unite_columns(int64_t a, int64_t b, int64_t shift) {
        Runs<Id>& runs = this->runs();
        const int64_t words = runs.layout.words;
        compare<T>(a, b, shift);
        const BlockRow<Id> own = runs.row(a), other = runs.row(b);
        const auto shifted = [&](const uint64_t* row, int64_t w) {
            if (shift == 0) return row[w];
            return row[w] >> 1 | (w + 1 < words ? row[w + 1] << 63 : 0);
        };
        Id* const parent = runs.parent.data();
        uint64_t before = 0;  // bit 0: the voxels of the column before this word are connected
        for (int64_t w = 0; w < words; ++w) {
            const uint64_t connected = near_[std::size_t(w)] & own.bits[w] & shifted(other.bits, w);
            // In the next column, the same two runs need no second union.
            uint64_t first = connected & (~(connected << 1 | before) | own.starts[w] | shifted(other.starts, w));
            before = connected >> 63;
            for (; first != 0; first &= first - 1) {
                const int64_t x = w * 64 + std::countr_zero(first);
                unite(parent, run_of(own, x), run_of(other, x + shift));
            }
        }
    }

    /// The run that contains voxel x of a row.
    static Id run_of(const BlockRow<Id>& row, int64_t x) {
        const uint64_t up_to_x = ~uint64_t{0} >> (63 - x % 64);
        return row.before[x / 64] + Id(std::popcount(row.starts[x / 64] & up_to_x));
    }

    Connectivity connectivity_;
    double most_;
    ValueWindow window_;
    std::vector<uint64_t> near_;  // [word] the result of compare()
};

/// Labels a volume under Rule::gradient, without periodic axes, on the calling thread. See block_runs::label().
template <class Id>
std::unique_ptr<Labelling> label_gradient(const Request& request, RowSource& source, ThreadPool& pool) {
    auto result = std::make_unique<GradientLabelling<Id>>(request, source, pool);
    const Seconds seconds = pack_and_unite(
        result->runs(), source, pool,
        [&](Share<Id>& share, int64_t row, const std::byte* fetched, RowRange rows, int64_t index) {
            const std::byte* const values = source.values(fetched, rows, index);
            visit_scalar(source.value_type(), [&]<class T>(std::type_identity<T>) { result->template add_row<T>(share, row, values); });
        },
        NothingMore{});
    result->number_after(seconds);
    return result;
}

}  // namespace voxcc::block_runs
