// Multi-label: neighbours join only if their values are equal. The cross-section is one row, and a new value starts a new run, so
// numbering, measuring and painting are those of the binary engine; only starts and contacts differ.
#pragma once
#include "kernels3d/block_runs/cpu/labelling.h"
#include "kernels3d/block_runs/value_bits.h"

namespace voxcc::block_runs {

/// Bits of the columns whose value differs from that of the column before (bit 0 is set), in `bits`; `flags` is scratch of nx bytes.
template <class T>
void value_changes(Isa isa, const std::byte* values, int64_t nx, std::vector<std::uint8_t>& flags, uint64_t* bits) {
    const T* const v = reinterpret_cast<const T*>(values);
    flags[0] = 1;
    for (int64_t x = 1; x < nx; ++x) flags[std::size_t(x)] = v[x] != v[x - 1];
    pack_row(isa, flags.data(), nx, bits);
}

/// First and last column of each run of a row.
struct Spans {
    int64_t block_row = -1;
    std::vector<std::pair<uint32_t, uint32_t>> of;
};

/// Spans of the rows asked for last, decoded once each.
template <class Id>
class SpanRing {
public:
    SpanRing(const Runs<Id>& runs, int64_t rows) : runs_(runs), ring_(std::size_t(rows)) {}
    const Spans& row(int64_t block_row) {
        Spans& spans = ring_[std::size_t(block_row) % ring_.size()];
        if (spans.block_row != block_row) decode(spans, block_row);
        return spans;
    }

private:
    void decode(Spans& spans, int64_t block_row) {
        const BlockRow<Id> row = runs_.row(block_row);
        spans.block_row = block_row;
        spans.of.clear();
        for (int64_t w = 0; w < runs_.layout.words; ++w) {
            const uint64_t m = row.bits[w], starts = row.starts[w], at = uint64_t(w) * 64;
            if (m & ~starts & 1) spans.of.back().second = uint32_t(at + last_of_first_piece(m, starts, 0));  // goes on from the word before
            for (uint64_t s = starts; s; s &= s - 1) {
                const int first = std::countr_zero(s);
                spans.of.emplace_back(uint32_t(at) + uint32_t(first), uint32_t(at + last_of_first_piece(m, starts, first)));
            }
        }
    }
    // The last column, within the word, of the stretch that holds column `from`.
    static uint64_t last_of_first_piece(uint64_t m, uint64_t starts, int from) {
        const uint64_t after = ~((uint64_t{2} << from) - 1), stop = (~m | starts) & after;
        return stop ? uint64_t(std::countr_zero(stop)) - 1 : 63;
    }
    const Runs<Id>& runs_;
    std::vector<Spans> ring_;
};

/// Calls touch(i, j) for every pair of runs of two rows whose columns overlap, or lie side by side within `reach` (0 or 1).
template <class Touch>
void each_touch(const Spans& a, const Spans& b, uint32_t reach, const Touch& touch) {
    std::size_t i = 0, j = 0;
    while (i < a.of.size() && j < b.of.size()) {
        const auto [a0, a1] = a.of[i];
        const auto [b0, b1] = b.of[j];
        if (a1 + reach < b0) ++i;
        else if (b1 + reach < a0) ++j;
        else {
            touch(i, j);
            // Where both end in one column, each may still touch the run that follows the other.
            if (reach && a1 == b1) {
                if (j + 1 < b.of.size() && b.of[j + 1].first == a1 + 1) touch(i, j + 1);
                ++i;
            } else if (a1 <= b1) ++i;
            else ++j;
        }
    }
}

template <class Id>
class ValueLabelling : public RunLabelling<1, 1, Id> {
public:
    using Base = RunLabelling<1, 1, Id>;
    ValueLabelling(const Request& request, ThreadPool& pool)
        : Base(request, pool, Base::Gaps::none),
          connectivity_(request.connectivity),
          value_(std::size_t(request.extent.voxels()) + 1),
          flags_(this->runs().slabs.size()) {
        for (auto& flags : flags_) flags.resize(std::size_t(request.extent.nx));
    }

    /// Finds the runs of a packed row, whose voxels are given, and gives them ids.
    template <class T>
    void index_row(Slab<Id>& slab, int64_t block_row, const std::byte* values) {
        Runs<Id>& runs = this->runs();
        const Layout& l = runs.layout;
        const int64_t at = block_row * l.words;
        const uint64_t* const bits = runs.bits.data() + at;
        uint64_t* const starts = runs.starts.data() + at;
        value_changes<T>(this->isa(), values, l.extent.nx, flags_[std::size_t(&slab - runs.slabs.data())], starts);
        uint64_t left = 0;
        Id id = slab.end_id;
        for (int64_t w = 0; w < l.words; ++w) {
            starts[w] = bits[w] & (starts[w] | ~(bits[w] << 1 | left));
            left = bits[w] >> 63;
            runs.before[std::size_t(at + w)] = id - 1;
            for (uint64_t s = starts[w]; s; s &= s - 1, ++id) {
                value_[std::size_t(id)] = value_bits<T>(values, w * 64 + std::countr_zero(s));
                runs.parent[std::size_t(id)] = id;
            }
        }
        slab.end_id = id;
    }

    bool equal(Id a, Id b) const { return value_[std::size_t(a)] == value_[std::size_t(b)]; }

    /// Unites the rows [first, end) with the rows before them in the slab, or before the slab where a seam is asked for.
    template <class Listed, class UniteTwo>
    void unite_rows(int64_t first, int64_t end, const Listed& listed, const UniteTwo& unite_two) {
        const Runs<Id>& runs = this->runs();
        const int64_t rows = runs.layout.rows;
        const bool slices = connectivity_ == Connectivity::c4 || connectivity_ == Connectivity::c8;
        const uint32_t reach = connectivity_ == Connectivity::c4 || connectivity_ == Connectivity::c6 ? 0 : 1;
        const bool diagonals = connectivity_ == Connectivity::c18 || connectivity_ == Connectivity::c26;
        const uint32_t diagonal_reach = connectivity_ == Connectivity::c26 ? 1 : 0;
        SpanRing<Id> ring(runs, slices ? 2 : rows + 2);
        for (int64_t at = first; at < end; ++at) {
            const int64_t y = at % rows;
            const auto with = [&](bool inside, int64_t other, uint32_t dx) {
                if (!inside || other < 0 || !listed(other)) return;
                const Id a = runs.first_id(at), b = runs.first_id(other);
                each_touch(ring.row(at), ring.row(other), dx, [&](std::size_t i, std::size_t j) {
                    if (equal(a + Id(i), b + Id(j))) unite_two(a + Id(i), b + Id(j));
                });
            };
            with(y > 0, at - 1, reach);
            if (slices) continue;
            with(true, at - rows, reach);
            with(diagonals && y > 0, at - rows - 1, diagonal_reach);
            with(diagonals && y + 1 < rows, at - rows + 1, diagonal_reach);
        }
    }

    std::vector<std::uint64_t> source_values() const override {
        std::vector<std::uint64_t> values(std::size_t(this->count()));
        const Runs<Id>& runs = const_cast<ValueLabelling*>(this)->runs();
        for (const Slab<Id>& slab : runs.slabs)
            for (Id i = slab.first_id; i < slab.end_id; ++i)
                if (runs.parent[std::size_t(i)] == i) values[std::size_t(runs.label[std::size_t(i)]) - 1] = value_[std::size_t(i)];
        return values;
    }

private:
    Connectivity connectivity_;
    Buffer<uint64_t> value_;                        // of each run
    std::vector<std::vector<std::uint8_t>> flags_;  // scratch, a slab each
};

template <class Id>
std::unique_ptr<Labelling> label_values(const Request& request, RowSource& source, ThreadPool& pool) {
    auto result = std::make_unique<ValueLabelling<Id>>(request, pool);
    Runs<Id>& runs = result->runs();
    Id* const parent = runs.parent.data();
    Seconds seconds = pack_and_unite(
        runs, source, pool,
        [&](Slab<Id>& slab, int64_t row, const std::byte* fetched, RowRange rows, int64_t index) {
            const std::byte* const values = source.values(fetched, rows, index);
            visit_scalar(source.value_type(), [&]<class T>(std::type_identity<T>) { result->template index_row<T>(slab, row, values); });
        },
        [&](Slab<Id>& slab, int64_t first, int64_t end) {
            result->unite_rows(
                first, end, [&](int64_t other) { return other >= slab.first; }, [&](Id a, Id b) { unite(parent, a, b); });
        });
    const double begin = now();
    pool.for_each(int64_t(runs.slabs.size()) - 1, [&](int64_t s) {
        const Slab<Id>& slab = runs.slabs[std::size_t(s) + 1];
        result->unite_rows(
            slab.first, std::min(slab.first + runs.layout.rows + 1, slab.end), [&](int64_t other) { return other < slab.first; },
            [&](Id a, Id b) { unite_shared(parent, a, b); });
    });
    if (request.periodic.any()) unite_across_faces(runs, request, [&](Id a, Id b) { return result->equal(a, b); });
    seconds.unite += now() - begin;
    result->number_after(seconds);
    return result;
}

}  // namespace voxcc::block_runs
