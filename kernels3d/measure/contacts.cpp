#include <voxcc/contacts.h>

#include <voxcc/bits.h>
#include "kernels3d/neighbourhood.h"
#include "kernels3d/simd/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
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
using Counts = std::array<std::uint64_t, 5>;  // faces across x, y, z; edges; corners

/// The counts of the pairs of labels that one thread has found.
class Found {
public:
    explicit Found(MemoryLimit* memory) : taken_(std::make_unique<TakenMemory>(memory)) {}
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
        for (const auto& [labels, counts] : other.counts_) add(labels, counts);
    }
    std::vector<LabelContact> sorted() const {
        std::vector<LabelContact> contacts;
        for (const auto& [labels, n] : counts_) contacts.push_back({labels.a, labels.b, {n[0], n[1], n[2]}, n[3], n[4]});
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
    void add(const Labels& labels, const Counts& counts) {
        constexpr std::int64_t bytes_of_pair = sizeof(LabelContact) + sizeof(std::pair<Labels, Counts>) + 3 * sizeof(void*);
        const auto [pair, is_new] = counts_.try_emplace(labels);
        if (is_new) taken_->take(bytes_of_pair);
        for (std::size_t kind = 0; kind < counts.size(); ++kind) pair->second[kind] += counts[kind];
    }
    [[gnu::noinline]] void replace(Recent& recent, std::uint64_t a, std::uint64_t b) {
        if (recent.a != 0) add({std::min(recent.a, recent.b), std::max(recent.a, recent.b)}, recent.counts);
        recent = {a, b, {}};
    }

    static constexpr int recent_bits = 8;
    std::unordered_map<Labels, Counts, HashOfLabels> counts_;
    std::array<Recent, 1 << recent_bits> recent_;
    std::unique_ptr<TakenMemory> taken_;  // for counts_ and the result
};

/// A row next to a row that comes earlier in raster order, and which of its voxels are neighbours.
struct NextRow {
    int dy, dz;
    std::size_t kind, kind_beside;  // indices in Counts of voxels in the same column, and in columns beside each other
    enum class Columns : std::uint8_t { same, also_beside } columns;
};
constexpr std::size_t along_x = 0, edges = 3, corners = 4;  // indices in Counts

std::vector<NextRow> next_rows(Connectivity connectivity) {
    std::vector<NextRow> rows;
    for (const auto& [dy, dz] : {std::pair{1, 0}, std::pair{-1, 1}, std::pair{0, 1}, std::pair{1, 1}}) {
        if (!is_neighbour(connectivity, 0, dy, dz)) continue;
        const std::size_t kind = dz == 0 ? 1 : dy == 0 ? 2 : edges;
        rows.push_back({dy, dz, kind, kind == edges ? corners : edges,
                        is_neighbour(connectivity, 1, dy, dz) ? NextRow::Columns::also_beside : NextRow::Columns::same});
    }
    return rows;
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

/// Finds the contacts of rows of nx labels.
template <class T>
class RowContacts {
public:
    using Row = typename Slice<T>::Row;
    struct Other {
        const Row* row;
        const NextRow* place;
    };

    RowContacts(std::int64_t nx, Found& found, Isa isa)
        : nx_(nx),
          words_(words_of(nx)),
          found_(found),
          isa_(isa),
          all_(std::size_t(words_), ~std::uint64_t{0}),
          equal_(std::size_t(4 * words_)) {}

    /// Adds the pairs of voxels within row a, and of voxels of row a and of the other rows.
    void add(const Row& a, std::span<const Other> others) {
        std::array<block_runs::Comparison<T>, 4> comparisons;
        for (std::size_t i = 0; i < others.size(); ++i)
            comparisons[i] = {others[i].row->labels, all_.data(), nx_, equal_.data() + std::int64_t(i) * words_};
        block_runs::equal_rows<T>(isa_, a.labels, all_.data(), std::span(comparisons).first(others.size()));
        block_runs::run_on(isa_, [&] {
            for (std::int64_t w = 0; w < words_; ++w) {
                const std::uint64_t labelled = a.labelled[w], labelled_next = next(a.labelled, w), same = a.same_as_next[w];
                add_word({a, 0}, {a, 1}, w, ~same & labelled & labelled_next, along_x);
                for (std::size_t i = 0; i < others.size(); ++i) {
                    const Row& b = *others[i].row;
                    const std::uint64_t* const equal = comparisons[i].bits;
                    add_word({a, 0}, {b, 0}, w, ~equal[w] & labelled & b.labelled[w], others[i].place->kind);
                    if (others[i].place->columns == NextRow::Columns::same) continue;
                    // Voxel x of a row equals voxel x + 1 of the other row if both equal a third of the four voxels. Few voxels are left.
                    const std::size_t beside = others[i].place->kind_beside;
                    const std::uint64_t equal_next = next(equal, w), same_b = b.same_as_next[w];
                    const std::uint64_t differ_ab = ~((same & equal_next) | (equal[w] & same_b));
                    const std::uint64_t differ_ba = ~((same_b & equal_next) | (equal[w] & same));
                    add_word({a, 0}, {b, 1}, w, differ_ab & labelled & next(b.labelled, w), beside);
                    add_word({b, 0}, {a, 1}, w, differ_ba & b.labelled[w] & labelled_next, beside);
                }
            }
        });
    }

private:
    /// A row whose columns are counted from column `shift` on, which is 0 or 1.
    struct Shifted {
        const Row& row;
        int shift;
    };
    /// Word w of a row of bits that is moved by one column.
    VOXCC_INLINE std::uint64_t next(const std::uint64_t* bits, std::int64_t w) const {
        return bits[w] >> 1 | (w + 1 < words_ ? bits[w + 1] << 63 : 0);
    }
    VOXCC_INLINE std::uint64_t same_as_next(const Shifted& r, std::int64_t w) const {
        return r.shift == 0 ? r.row.same_as_next[w] : next(r.row.same_as_next, w);
    }
    /// Adds the columns of word w that are set in `touch`, where both rows have labels, if these differ. A stretch of columns with the same
    /// two labels is added at once.
    VOXCC_INLINE void add_word(const Shifted& a, const Shifted& b, std::int64_t w, std::uint64_t touch, std::size_t kind) {
        if (touch == 0) return;
        const std::uint64_t goes_on = touch & (touch & same_as_next(a, w) & same_as_next(b, w)) << 1;
        const T *const labels_a = a.row.labels + 64 * w + a.shift, *const labels_b = b.row.labels + 64 * w + b.shift;
        for (std::uint64_t first = touch & ~goes_on; first != 0; first &= first - 1) {
            const int x = std::countr_zero(first);
            if (labels_a[x] == labels_b[x]) continue;
            const int length = 1 + std::countr_one(goes_on >> x >> 1);
            found_.add(std::uint64_t(std::int64_t(labels_a[x])), std::uint64_t(std::int64_t(labels_b[x])), kind, std::uint64_t(length));
        }
    }

    std::int64_t nx_, words_;
    Found& found_;
    Isa isa_;
    std::vector<std::uint64_t> all_, equal_;  // [word] all bits set; [row][word] whether a row equals another
};

/// Adds the contacts of the slices [first, end) with themselves and with the next slice.
template <class T>
void find_contacts(block_runs::RowSource& labels, const Extent& extent, const std::vector<NextRow>& next, std::int64_t first,
                   std::int64_t end, Found& found) {
    const Isa isa = block_runs::default_isa();
    RowContacts<T> contacts(extent.nx, found, isa);
    Slice<T> own, above;
    if (first < end) own.read(labels, extent, first, isa);
    for (std::int64_t z = first; z < end; ++z, std::swap(own, above)) {
        if (z + 1 < extent.nz) above.read(labels, extent, z + 1, isa);
        for (std::int64_t y = 0; y < extent.ny; ++y) {
            std::array<typename RowContacts<T>::Other, 4> others;
            std::size_t count = 0;
            for (const NextRow& place : next) {
                if (y + place.dy < 0 || y + place.dy >= extent.ny || z + place.dz >= extent.nz) continue;
                others[count++] = {&(place.dz > 0 ? above : own)[y + place.dy], &place};
            }
            contacts.add(own[y], std::span(others).first(count));
        }
    }
    found.finish();
}

}  // namespace

std::vector<LabelContact> label_contacts(block_runs::RowSource& labels, const Extent& extent, Connectivity connectivity, ThreadPool& pool,
                                         MemoryLimit* memory) {
    const std::vector<NextRow> next = next_rows(connectivity);
    const bool in_order = labels.access() == block_runs::RowSource::Access::in_order;
    const std::int64_t parts = in_order ? 1 : std::min<std::int64_t>(pool.size(), extent.nz);
    std::vector<Found> found;
    for (std::int64_t part = 0; part < parts; ++part) found.emplace_back(memory);
    pool.for_each(parts, [&](std::int64_t part) {
        visit_scalar(labels.value_type(), [&]<class T>(std::type_identity<T>) {
            if constexpr (std::is_integral_v<T>)
                find_contacts<T>(labels, extent, next, extent.nz * part / parts, extent.nz * (part + 1) / parts, found[std::size_t(part)]);
            else throw Error(ErrorKind::invalid_argument, "labels", "labels must be integers");
        });
    });
    for (std::size_t part = 1; part < found.size(); ++part) found.front().add(found[part]);
    return found.front().sorted();
}

std::optional<std::vector<LabelContact>> block_runs::Labelling::contacts(Connectivity, std::span<const std::uint64_t>, MemoryLimit*) {
    return std::nullopt;
}

std::int64_t contact_bytes_per_thread(const Extent& extent) {
    return 2 * extent.ny *
           (2 * words_of(extent.nx) * std::int64_t(sizeof(std::uint64_t)) + std::int64_t(sizeof(Slice<std::uint64_t>::Row)));
}

std::array<double, 3> face_areas(const World& world) {
    const auto step = [&](std::size_t axis) { return std::array{world.affine[0][axis], world.affine[1][axis], world.affine[2][axis]}; };
    const auto area = [](const std::array<double, 3>& a, const std::array<double, 3>& b) {  // the length of the cross product
        const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
        return std::hypot(x, y, z);
    };
    return {area(step(1), step(2)), area(step(0), step(2)), area(step(0), step(1))};
}

}  // namespace voxcc
