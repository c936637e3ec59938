#include <voxcc/match.h>

#include "kernels3d/threads/reading.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

namespace voxcc {
namespace {

/// The labels of A and B at one voxel, as 64-bit patterns.
struct LabelsAtVoxel {
    std::uint64_t a, b;
    bool operator==(const LabelsAtVoxel&) const = default;
};
struct HashOfLabelsAtVoxel {
    std::size_t operator()(const LabelsAtVoxel& l) const {
        return std::size_t((l.a * 0x9e3779b97f4a7c15u ^ std::rotl(l.b, 32)) * 0xbf58476d1ce4e5b9u >> 8);
    }
};
using SharedCounts = std::unordered_map<LabelsAtVoxel, std::uint64_t, HashOfLabelsAtVoxel>;

/// A label of a row, and where its stretch ends.
struct Stretch {
    std::uint64_t label;
    std::size_t end;
};

/// The stretch of equal labels that begins at `first`. @param end of the row
using FindStretch = Stretch (*)(const std::byte* values, std::size_t first, std::size_t end);
template <class T>
Stretch find_stretch(const std::byte* values, std::size_t first, std::size_t end) {
    const T* const labels = reinterpret_cast<const T*>(values);
    const T label = labels[first];
    std::size_t stop = first + 1;
    while (stop < end && labels[stop] == label) ++stop;
    return {std::uint64_t(std::int64_t(label)), stop};
}

FindStretch stretches_of(ScalarType type) {
    return visit_scalar(type, []<class T>(std::type_identity<T>) -> FindStretch {
        if constexpr (std::is_integral_v<T>) return find_stretch<T>;
        else throw Error(ErrorKind::invalid_argument, "labels", "labels must be integers");
    });
}

/// The first column at or after `from` whose bit has the value `bit`; `columns` if there is none.
std::size_t next_column(std::span<const std::uint64_t> bits, std::size_t columns, std::size_t from, bool bit) {
    for (std::size_t w = from / 64; w < bits.size(); ++w) {
        std::uint64_t word = bit ? bits[w] : ~bits[w];
        if (w == from / 64) word &= ~std::uint64_t{0} << from % 64;
        if (word != 0) return std::min(columns, w * 64 + std::size_t(std::countr_zero(word)));
    }
    return columns;
}

/// Rows of one labelling.
struct FetchedRows {
    const RowSource& source;
    const std::byte* fetched;
    RowRange rows;
    const std::byte* values(std::int64_t i) const { return source.values(fetched, rows, i); }
};

/// What one thread has found.
class PartOfOverlap {
public:
    PartOfOverlap(const Extent& extent, ScalarType a, ScalarType b)
        : sums_a(extent), sums_b(extent), extent_(extent), bits_(std::size_t(words_of(extent.nx))), other_(bits_.size()) {
        stretch_a_ = stretches_of(a), stretch_b_ = stretches_of(b);
    }
    void add(const FetchedRows& a, const FetchedRows& b) {
        add_sums(sums_a, a), add_sums(sums_b, b);
        for (std::int64_t i = 0; i < a.rows.count; ++i) {
            a.source.pack(a.fetched, a.rows, i, bits_.data());
            b.source.pack(b.fetched, b.rows, i, other_.data());
            for (std::size_t w = 0; w < bits_.size(); ++w) bits_[w] &= other_[w];
            add_row(a.values(i), b.values(i));
        }
    }
    void finish() { count({0, 0}, 0); }
    void add(const PartOfOverlap& other) {
        sums_a.add(other.sums_a), sums_b.add(other.sums_b);
        for (const auto& [labels, voxels] : other.shared) shared[labels] += voxels;
    }

    LabelSums sums_a, sums_b;
    SharedCounts shared;

private:
    void add_sums(LabelSums& sums, const FetchedRows& from) const {
        visit_scalar(from.source.value_type(), [&]<class T>(std::type_identity<T>) {
            if constexpr (std::is_integral_v<T>)
                for (std::int64_t i = 0; i < from.rows.count; ++i) {
                    const std::int64_t row = from.rows.first + i;
                    const auto* const labels = reinterpret_cast<const T*>(from.values(i));
                    sums.add_row(row % extent_.ny, row / extent_.ny, std::span<const T>(labels, std::size_t(extent_.nx)));
                }
        });
    }
    /// Adds the voxels of a row that have a label in both, which are set in `bits_`.
    void add_row(const std::byte* a, const std::byte* b) {
        const auto columns = std::size_t(extent_.nx);
        for (std::size_t first = 0; (first = next_column(bits_, columns, first, true)) < columns;) {
            const std::size_t end = next_column(bits_, columns, first, false);
            Stretch of_a{0, first}, of_b{0, first};
            while (first < end) {
                if (of_a.end == first) of_a = stretch_a_(a, first, end);
                if (of_b.end == first) of_b = stretch_b_(b, first, end);
                const std::size_t stop = std::min(of_a.end, of_b.end);
                count({of_a.label, of_b.label}, stop - first);
                first = stop;
            }
        }
    }
    void count(const LabelsAtVoxel& labels, std::uint64_t voxels) {
        if (labels != recent_) {
            if (recent_voxels_ > 0) shared[recent_] += recent_voxels_;
            recent_ = labels, recent_voxels_ = 0;
        }
        recent_voxels_ += voxels;
    }

    Extent extent_;
    FindStretch stretch_a_, stretch_b_;
    std::vector<std::uint64_t> bits_, other_;  // of a row
    LabelsAtVoxel recent_{0, 0};
    std::uint64_t recent_voxels_ = 0;  // of recent_, not yet in `shared`
};

/// Reads the same rows of both labellings.
class BothRows {
public:
    BothRows(RowSource& a, RowSource& b) : a_(a), b_(b) {}
    void fetch(RowRange rows) { rows_ = rows, fetched_a_ = a_.fetch(rows, buffer_a_), fetched_b_ = b_.fetch(rows, buffer_b_); }
    void add_to(PartOfOverlap& part) const { part.add(FetchedRows{a_, fetched_a_, rows_}, FetchedRows{b_, fetched_b_, rows_}); }

private:
    RowSource &a_, &b_;
    RowRange rows_;
    std::vector<std::byte> buffer_a_, buffer_b_;
    const std::byte *fetched_a_ = nullptr, *fetched_b_ = nullptr;
};

LabelSums in_order_of_labels(const LabelSums& sums, const Extent& extent) {
    std::vector<std::size_t> rows(sums.labels().size());
    std::iota(rows.begin(), rows.end(), 0);
    std::ranges::sort(rows, {}, [&](std::size_t row) { return sums.labels()[row]; });
    LabelSums ordered(extent);
    for (const std::size_t row : rows) ordered.add(sums.labels()[row], sums[row]);
    return ordered;
}

/// @param labels in ascending order @param label must be one of them
std::size_t row_of(const std::vector<std::uint64_t>& labels, std::uint64_t label) {
    return std::size_t(std::ranges::lower_bound(labels, label) - labels.begin());
}

}  // namespace

LabelOverlap ordered_overlap(const LabelSums& a, const LabelSums& b, const Extent& extent, std::span<const SharedByLabels> shared) {
    LabelOverlap overlap{in_order_of_labels(a, extent), in_order_of_labels(b, extent), {}};
    overlap.pairs.reserve(shared.size());
    for (const SharedByLabels& pair : shared)
        overlap.pairs.push_back({row_of(overlap.a.labels(), pair.a), row_of(overlap.b.labels(), pair.b), pair.voxels});
    std::ranges::sort(overlap.pairs, {}, [](const SharedVoxels& pair) { return std::pair(pair.a, pair.b); });
    return overlap;
}

LabelOverlap overlap_of(RowSource& a, RowSource& b, const Extent& extent, ThreadPool& pool) {
    const std::int64_t rows = extent.rows(), step = std::max(a.rows_per_fetch(), b.rows_per_fetch()), pieces = (rows + step - 1) / step;
    const bool is_in_order = a.access() == RowSource::Access::in_order || b.access() == RowSource::Access::in_order;
    std::vector<PartOfOverlap> parts(std::size_t(std::min<std::int64_t>(pool.size(), pieces)),
                                     PartOfOverlap(extent, a.value_type(), b.value_type()));
    const auto range_of = [&](std::int64_t piece) { return RowRange{piece * step, std::min(step, rows - piece * step)}; };
    Reading reading;
    pool.for_each(std::int64_t(parts.size()), [&](std::int64_t at) {
        PartOfOverlap& part = parts[std::size_t(at)];
        BothRows both(a, b);
        const auto read = [&](std::int64_t piece) {
            if (is_in_order && piece < pieces) both.fetch(range_of(piece));
        };
        for (std::optional<std::int64_t> piece; (piece = reading.next(read)) && *piece < pieces;) {
            if (!is_in_order) both.fetch(range_of(*piece));
            both.add_to(part);
        }
        part.finish();
    });
    for (std::size_t part = 1; part < parts.size(); ++part) parts.front().add(parts[part]);

    std::vector<SharedByLabels> shared;
    shared.reserve(parts.front().shared.size());
    for (const auto& [labels, voxels] : parts.front().shared) shared.push_back({labels.a, labels.b, voxels});
    return ordered_overlap(parts.front().sums_a, parts.front().sums_b, extent, shared);
}

}  // namespace voxcc
