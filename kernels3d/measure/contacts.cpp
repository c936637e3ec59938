#include <voxcc/contacts.h>

#include <voxcc/bits.h>
#include "kernels3d/neighbourhood.h"
#include "kernels3d/simd/compare.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace voxcc {
namespace {

using block_runs::Isa;

struct Labels {
    std::uint64_t a, b;  // a < b
    bool operator==(const Labels&) const = default;
};
struct HashOfLabels {
    std::size_t operator()(const Labels& p) const { return std::size_t((p.a * 0x9e3779b97f4a7c15u ^ p.b) * 0xbf58476d1ce4e5b9u >> 16); }
};
using Counts = std::array<std::uint64_t, 4>;  // faces across x, y, z; edges and corners

/// The counts of the pairs of labels that one thread has found.
class Found {
public:
    void add(std::uint64_t a, std::uint64_t b, std::size_t kind, std::uint64_t count) {
        Recent& recent = recent_[(a ^ std::rotl(b, 32)) * 0x9e3779b97f4a7c15u >> (64 - recent_bits)];
        if (recent.a != a || recent.b != b) replace(recent, a, b);
        recent.counts[kind] += count;
    }
    /// Adds the counts of the recent pairs to the others. Must be called after the last add() of single pairs.
    void finish() {
        for (Recent& recent : recent_) replace(recent, 0, 0);
    }
    void add(const Found& other) {
        for (const auto& [labels, counts] : other.counts_) add(counts_[labels], counts);
    }
    std::vector<LabelContact> sorted() const {
        std::vector<LabelContact> contacts;
        for (const auto& [labels, n] : counts_) contacts.push_back({labels.a, labels.b, {n[0], n[1], n[2]}, n[3]});
        std::sort(contacts.begin(), contacts.end(),
                  [](const LabelContact& l, const LabelContact& r) { return l.a != r.a ? l.a < r.a : l.b < r.b; });
        return contacts;
    }

private:
    /// The counts of a pair since it took this place. Few pairs occur in a row of voxels and its neighbours, so most are found here.
    struct Recent {
        std::uint64_t a = 0, b = 0;  // in either order; 0: no pair
        Counts counts{};
    };
    static void add(Counts& to, const Counts& counts) {
        for (std::size_t kind = 0; kind < counts.size(); ++kind) to[kind] += counts[kind];
    }
    [[gnu::noinline]] void replace(Recent& recent, std::uint64_t a, std::uint64_t b) {
        if (recent.a != 0) add(counts_[{std::min(recent.a, recent.b), std::max(recent.a, recent.b)}], recent.counts);
        recent = {a, b, {}};
    }

    static constexpr int recent_bits = 8;
    std::unordered_map<Labels, Counts, HashOfLabels> counts_;
    std::array<Recent, 1 << recent_bits> recent_;
};

/// A step to a neighbour that comes later in raster order.
struct Step {
    int dx, dy, dz;
    std::size_t kind;  // index in Counts
};

std::vector<Step> later_steps(Connectivity connectivity) {
    std::vector<Step> steps;
    for (int dz = 0; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                if (!is_neighbour(connectivity, dx, dy, dz) || is_earlier(dx, dy, dz)) continue;
                const bool face = (dx != 0) + (dy != 0) + (dz != 0) == 1;
                steps.push_back({dx, dy, dz, face ? std::size_t(dz != 0 ? 2 : dy != 0 ? 1 : 0) : 3});
            }
    return steps;
}

/// A slice of labels, with two bits per voxel.
template <class T>
class Slice {
public:
    /// A row of labels. Bit x of `labelled`: the label of voxel x is not 0. Bit x of `same_as_next`: voxel x has the label of voxel x + 1.
    struct Row {
        const T* labels;
        const std::uint64_t *labelled, *same_as_next;
    };

    void read(block_runs::RowSource& source, const Extent& e, std::int64_t z, Isa isa) {
        const RowRange rows{z * e.ny, e.ny};
        words_ = words_of(e.nx);
        bits_.resize(std::size_t(2 * e.ny * words_));
        rows_.resize(std::size_t(e.ny));
        const std::vector<std::uint64_t> all(std::size_t(words_), ~std::uint64_t{0});
        const std::byte* const fetched = source.fetch(rows, buffer_);
        for (std::int64_t y = 0; y < e.ny; ++y) {
            const T* const labels = reinterpret_cast<const T*>(source.values(fetched, rows, y));
            std::uint64_t *const labelled = bits_.data() + 2 * y * words_, *const same = labelled + words_;
            block_runs::within_row<T>(isa, labels, 0, 0, e.nx, labelled);
            for (std::int64_t w = 0; w < words_; ++w) labelled[w] = ~labelled[w];
            labelled[words_ - 1] &= ~std::uint64_t{0} >> (64 * words_ - e.nx);
            same[words_ - 1] = 0;
            const block_runs::Comparison<T> next{labels + 1, all.data(), e.nx - 1, same};
            block_runs::equal_rows<T>(isa, labels, all.data(), {&next, 1});
            rows_[std::size_t(y)] = {labels, labelled, same};
        }
    }
    const Row& operator[](std::int64_t y) const { return rows_[std::size_t(y)]; }

private:
    std::int64_t words_ = 0;
    std::vector<std::byte> buffer_;
    std::vector<std::uint64_t> bits_;
    std::vector<Row> rows_;
};

/// Finds the contacts between rows of nx labels.
template <class T>
class RowPairs {
public:
    RowPairs(std::int64_t nx, Found& found, Isa isa)
        : nx_(nx),
          words_(words_of(nx)),
          found_(found),
          isa_(isa),
          all_(std::size_t(words_), ~std::uint64_t{0}),
          equal_(std::size_t(words_) + 1) {}

    /// Adds the pairs of voxel x of row a and voxel x + shift of row b, for all columns x.
    /// @param shift 0 or 1
    void add(const typename Slice<T>::Row& a, const typename Slice<T>::Row& b, std::int64_t shift, std::size_t kind) {
        const std::uint64_t* equal = equal_.data();
        if (a.labels == b.labels && shift == 1) {
            equal = a.same_as_next;
        } else {
            const block_runs::Comparison<T> comparison{b.labels + shift, all_.data(), nx_ - shift, equal_.data()};
            equal_[std::size_t(words_of(nx_ - shift))] = 0;
            block_runs::equal_rows<T>(isa_, a.labels, all_.data(), {&comparison, 1});
        }
        block_runs::run_on(isa_, [&] {
            for (std::int64_t w = 0; w < words_; ++w) {
                const std::uint64_t touch = ~equal[w] & a.labelled[w] & shifted(b.labelled, w, shift);
                if (touch != 0) add_word(a, b, w, touch, shift, kind);
            }
        });
    }

private:
    /// Word w of a row of bits that is moved by `shift` columns.
    std::uint64_t shifted(const std::uint64_t* bits, std::int64_t w, std::int64_t shift) const {
        if (shift == 0) return bits[w];
        return bits[w] >> 1 | (w + 1 < words_ ? bits[w + 1] << 63 : 0);
    }
    /// Adds the columns of word w that are set in `touch`. A stretch of columns with the same two labels is added at once.
    VOXCC_INLINE void add_word(const typename Slice<T>::Row& a, const typename Slice<T>::Row& b, std::int64_t w, std::uint64_t touch,
                               std::int64_t shift, std::size_t kind) {
        const std::uint64_t goes_on = touch & (touch & a.same_as_next[w] & shifted(b.same_as_next, w, shift)) << 1;
        const T *const labels_a = a.labels + 64 * w, *const labels_b = b.labels + 64 * w + shift;
        for (std::uint64_t first = touch & ~goes_on; first != 0; first &= first - 1) {
            const int x = std::countr_zero(first);
            const int length = 1 + std::countr_one(goes_on >> x >> 1);
            found_.add(std::uint64_t(std::int64_t(labels_a[x])), std::uint64_t(std::int64_t(labels_b[x])), kind, std::uint64_t(length));
        }
    }

    std::int64_t nx_, words_;
    Found& found_;
    Isa isa_;
    std::vector<std::uint64_t> all_, equal_;  // [word] all bits set; whether two rows are equal
};

/// Adds the contacts of the slices [first, end) with themselves and with the next slice.
template <class T>
void find_contacts(block_runs::RowSource& labels, const Extent& extent, const std::vector<Step>& steps, std::int64_t first,
                   std::int64_t end, Found& found) {
    const Isa isa = block_runs::default_isa();
    RowPairs<T> pairs(extent.nx, found, isa);
    Slice<T> own, above;
    if (first < end) own.read(labels, extent, first, isa);
    for (std::int64_t z = first; z < end; ++z, std::swap(own, above)) {
        if (z + 1 < extent.nz) above.read(labels, extent, z + 1, isa);
        for (std::int64_t y = 0; y < extent.ny; ++y)
            for (const Step& step : steps) {
                if (y + step.dy < 0 || y + step.dy >= extent.ny || z + step.dz >= extent.nz) continue;
                const auto& other = (step.dz > 0 ? above : own)[y + step.dy];
                if (step.dx < 0) pairs.add(other, own[y], 1, step.kind);
                else pairs.add(own[y], other, step.dx, step.kind);
            }
    }
    found.finish();
}

}  // namespace

std::vector<LabelContact> label_contacts(block_runs::RowSource& labels, const Extent& extent, Connectivity connectivity, ThreadPool& pool) {
    const std::vector<Step> steps = later_steps(connectivity);
    const std::int64_t parts = std::min<std::int64_t>(pool.size(), extent.nz);
    std::vector<Found> found(static_cast<std::size_t>(parts));
    pool.for_each(parts, [&](std::int64_t part) {
        visit_scalar(labels.value_type(), [&]<class T>(std::type_identity<T>) {
            if constexpr (std::is_integral_v<T>)
                find_contacts<T>(labels, extent, steps, extent.nz * part / parts, extent.nz * (part + 1) / parts, found[std::size_t(part)]);
            else throw Error(ErrorKind::invalid_argument, "labels", "labels must be integers");
        });
    });
    for (std::size_t part = 1; part < found.size(); ++part) found.front().add(found[part]);
    return found.front().sorted();
}

}  // namespace voxcc
