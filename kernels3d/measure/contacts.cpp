#include <voxcc/contacts.h>

#include <voxcc/source.h>
#include "kernels3d/base/abilities.h"
#include "kernels3d/base/neighbourhood.h"
#include "kernels3d/simd/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <unordered_map>

namespace voxcc {
namespace {

struct Labels {
    std::uint64_t a, b;  // a < b
    bool operator==(const Labels&) const = default;
};
struct HashOfLabels {
    std::size_t operator()(const Labels& p) const { return std::size_t((p.a * 0x9e3779b97f4a7c15u ^ p.b) * 0xbf58476d1ce4e5b9u >> 16); }
};
using Counts = std::array<std::uint64_t, 5>;  // faces across x, y, z; edges; corners

/// A number per direction from a voxel to a neighbour. The three directions across faces come first, then edges and corners.
using PerDirection = std::array<std::uint64_t, 16>;
constexpr std::array<std::size_t, 13> kind_of_direction{0, 1, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4};  // indices in Counts

/// The counts of the pairs of labels that one thread has found.
class Found {
public:
    explicit Found(MemoryLimit* memory) : taken_(std::make_unique<TakenMemory>(memory)) {}
    void add(std::uint64_t a, std::uint64_t b, std::size_t direction, std::uint64_t count) { recent(a, b)[direction] += count; }
    /// Adds the columns that are set in both `touch` and `columns`, for the first `directions` directions.
    template <std::size_t directions>
    VOXCC_INLINE void add(std::uint64_t a, std::uint64_t b, const PerDirection& touch, std::uint64_t columns) {
        PerDirection& counts = recent(a, b);
        for (std::size_t d = 0; d < directions; ++d) counts[d] += std::uint64_t(std::popcount(touch[d] & columns));
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
        std::uint64_t a = 0, b = 0;  // a < b; 0: no pair
        PerDirection counts{};
    };
    VOXCC_INLINE PerDirection& recent(std::uint64_t label, std::uint64_t other) {
        const std::uint64_t a = std::min(label, other), b = std::max(label, other);
        Recent& recent = recent_[(a ^ std::rotl(b, 32)) * 0x9e3779b97f4a7c15u >> (64 - recent_bits)];
        if (recent.a != a || recent.b != b) replace(recent, a, b);
        return recent.counts;
    }
    void add(const Labels& labels, const Counts& counts) {
        constexpr std::int64_t bytes_of_pair = sizeof(LabelContact) + sizeof(std::pair<Labels, Counts>) + 3 * sizeof(void*);
        const auto [pair, is_new] = counts_.try_emplace(labels);
        if (is_new) taken_->take(bytes_of_pair);
        for (std::size_t kind = 0; kind < counts.size(); ++kind) pair->second[kind] += counts[kind];
    }
    [[gnu::noinline]] void replace(Recent& recent, std::uint64_t a, std::uint64_t b) {
        if (recent.a != 0) {
            Counts counts{};
            for (std::size_t d = 0; d < kind_of_direction.size(); ++d) counts[kind_of_direction[d]] += recent.counts[d];
            add({recent.a, recent.b}, counts);
        }
        recent = {a, b, {}};
    }

    static constexpr int recent_bits = 11;
    std::unordered_map<Labels, Counts, HashOfLabels> counts_;
    std::array<Recent, 1 << recent_bits> recent_;
    std::unique_ptr<TakenMemory> taken_;  // for counts_ and the result
};

/// A row next to a row that comes earlier in raster order, and the directions to its voxels.
struct NextRow {
    int dy, dz;
    std::size_t same, next_of_other, next_of_own;  // directions to the same column, and between columns beside each other
};
constexpr std::size_t along_x = 0;  // a direction
enum class Across : std::uint8_t { faces, all };
constexpr std::array<NextRow, 2> rows_across_faces{{{1, 0, 1, 5, 6}, {0, 1, 2, 7, 8}}};
constexpr std::array<NextRow, 4> all_rows{{{1, 0, 1, 5, 6}, {0, 1, 2, 7, 8}, {-1, 1, 3, 9, 10}, {1, 1, 4, 11, 12}}};

/// A slice of labels, with two bits per voxel.
template <class T>
class Slice {
public:
    /// A row of labels. Bit x of `labelled`: the label of voxel x is not 0. Bit x of `same_as_next`: voxel x has the label of voxel x + 1.
    struct Row {
        const T* labels;
        const std::uint64_t *labelled, *same_as_next;
    };

    void read(RowSource& source, const Extent& e, std::int64_t z, Isa isa) {
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
/// @tparam across whether voxels are neighbours only across faces
template <class T, Across across>
class RowContacts {
public:
    using Row = typename Slice<T>::Row;
    static constexpr auto places = [] {
        if constexpr (across == Across::faces) return rows_across_faces;
        else return all_rows;
    }();
    static constexpr std::size_t directions = across == Across::faces ? 4 : 16, next_rows = places.size();

    RowContacts(const Extent& extent, Connectivity connectivity, Found& found, Isa isa)
        : nx_(extent.nx),
          words_(words_of(extent.nx)),
          found_(found),
          isa_(isa),
          all_(std::size_t(words_), ~std::uint64_t{0}),
          none_(std::size_t(words_)),
          equal_(next_rows * std::size_t(words_)) {
        for (std::size_t i = 0; i < next_rows; ++i) {
            is_near_[i] = is_neighbour(connectivity, 0, places[i].dy, places[i].dz);
            if (is_neighbour(connectivity, 1, places[i].dy, places[i].dz)) beside_[i] = ~std::uint64_t{0};
        }
    }

    /// Adds the pairs of voxels within row y of a slice, and of voxels of this row and of the next rows.
    /// @param above the next slice, or null
    void add(const Slice<T>& own, const Slice<T>* above, std::int64_t y, std::int64_t ny) {
        const Row& a = own[y];
        std::array<Row, next_rows> others;
        std::array<block_runs::Comparison<T>, next_rows> comparisons;
        std::size_t count = 0;
        for (std::size_t i = 0; i < next_rows; ++i) {
            const Slice<T>* const slice = places[i].dz > 0 ? above : &own;
            const std::int64_t at = y + places[i].dy;
            others[i] = {a.labels, none_.data(), a.same_as_next};
            if (!is_near_[i] || !slice || at < 0 || at >= ny) continue;
            others[i] = (*slice)[at];
            comparisons[count++] = {others[i].labels, all_.data(), nx_, equal_.data() + std::int64_t(i) * words_};
        }
        block_runs::equal_rows<T>(isa_, a.labels, all_.data(), std::span(comparisons).first(count));
        block_runs::run_on(isa_, [&] {
            alignas(64) PerDirection touch{};
            for (std::int64_t w = 0; w < words_; ++w) add_word(a, others, w, touch);
        });
    }

private:
    /// Most stretches of columns with boundaries have only two labels. These are added to all directions at once.
    VOXCC_INLINE void add_word(const Row& a, const std::array<Row, next_rows>& others, std::int64_t w, PerDirection& touch) {
        const std::uint64_t labelled = a.labelled[w], labelled_next = next(a.labelled, w), same = a.same_as_next[w];
        std::uint64_t any = touch[along_x] = ~same & labelled & labelled_next;
        std::uint64_t unclear = 0;  // columns where voxels beside each other may have the same label
        for (std::size_t i = 0; i < next_rows; ++i) {
            const Row& b = others[i];
            const std::uint64_t* const bits = equal_.data() + std::int64_t(i) * words_;
            const std::uint64_t equal = bits[w];
            any |= touch[places[i].same] = ~equal & labelled & b.labelled[w];
            if constexpr (across == Across::faces) continue;
            // Voxel x of a row equals voxel x + 1 of the other row if both equal a third of the four voxels. Few voxels are left.
            const std::uint64_t equal_next = next(bits, w), same_b = b.same_as_next[w];
            const std::uint64_t differ_ab = ~((same & equal_next) | (equal & same_b)) & beside_[i];
            const std::uint64_t differ_ba = ~((same_b & equal_next) | (equal & same)) & beside_[i];
            any |= touch[places[i].next_of_other] = differ_ab & labelled & next(b.labelled, w);
            any |= touch[places[i].next_of_own] = differ_ba & b.labelled[w] & labelled_next;
            unclear |= ~(same | equal_next | equal | same_b) & beside_[i];
        }
        while (any != 0) {
            Pair pair;
            const std::uint64_t columns = first_stretch(pair, a, others, w, any);
            any &= ~columns;
            if (((columns & unclear) == 0) & (pair.a != pair.b))
                found_.template add<directions>(wide(pair.a), wide(pair.b), touch, columns);
            else add_each_direction(a, others, w, touch, columns);
        }
    }

    struct Pair {
        T a, b;
    };
    static std::uint64_t wide(T label) { return std::uint64_t(std::int64_t(label)); }

    /// The first stretch of columns of `any`.
    /// @param pair receives the two labels of all rows in these columns and the column after them; or equal labels if there may be a third
    VOXCC_INLINE std::uint64_t first_stretch(Pair& pair, const Row& a, const std::array<Row, next_rows>& others, std::int64_t w,
                                             std::uint64_t any) const {
        const std::uint64_t columns = any & ~(any + (any & -any));
        std::uint64_t changes = columns & ~a.same_as_next[w], second_changes = changes & (changes - 1);
        for (const Row& b : others) {
            changes = columns & ~b.same_as_next[w];
            second_changes |= changes & (changes - 1);
        }
        const std::int64_t first = 64 * w + std::countr_zero(columns);
        const std::int64_t last = std::min<std::int64_t>(64 * (w + 1) - std::countl_zero(columns), nx_ - 1);
        pair.a = a.labels[first], pair.b = a.labels[last];
        const auto find = [&](T label) __attribute__((always_inline)) { pair.b = label != pair.a ? label : pair.b; };
        for (const Row& b : others) find(b.labels[first]), find(b.labels[last]);
        unsigned is_third = second_changes != 0;
        const auto test = [&](T label) __attribute__((always_inline)) {
            is_third |= unsigned(label != pair.a) & unsigned(label != pair.b);
        };
        test(a.labels[last]);
        for (const Row& b : others) test(b.labels[first]), test(b.labels[last]);
        if (is_third) pair.b = pair.a;
        return columns;
    }

    void add_each_direction(const Row& a, const std::array<Row, next_rows>& others, std::int64_t w, const PerDirection& touch,
                            std::uint64_t columns) {
        add_stretches({a, 0}, {a, 1}, w, touch[along_x] & columns, along_x);
        for (std::size_t i = 0; i < next_rows; ++i) {
            const Row& b = others[i];
            const NextRow& place = places[i];
            add_stretches({a, 0}, {b, 0}, w, touch[place.same] & columns, place.same);
            if constexpr (across == Across::faces) continue;
            add_stretches({a, 0}, {b, 1}, w, touch[place.next_of_other] & columns, place.next_of_other);
            add_stretches({b, 0}, {a, 1}, w, touch[place.next_of_own] & columns, place.next_of_own);
        }
    }

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
    VOXCC_INLINE void add_stretches(const Shifted& a, const Shifted& b, std::int64_t w, std::uint64_t touch, std::size_t direction) {
        if (touch == 0) return;
        const std::uint64_t goes_on = touch & (touch & same_as_next(a, w) & same_as_next(b, w)) << 1;
        const T *const labels_a = a.row.labels + 64 * w + a.shift, *const labels_b = b.row.labels + 64 * w + b.shift;
        for (std::uint64_t first = touch & ~goes_on; first != 0; first &= first - 1) {
            const int x = std::countr_zero(first);
            if (labels_a[x] == labels_b[x]) continue;
            const int length = 1 + std::countr_one(goes_on >> x >> 1);
            found_.add(wide(labels_a[x]), wide(labels_b[x]), direction, std::uint64_t(length));
        }
    }

    std::int64_t nx_, words_;
    Found& found_;
    Isa isa_;
    std::array<bool, next_rows> is_near_;            // whether a row has neighbours in the same column
    std::array<std::uint64_t, next_rows> beside_{};  // all bits set if it also has neighbours in columns beside each other
    std::vector<std::uint64_t> all_, none_;          // [word] all bits set; none
    std::vector<std::uint64_t> equal_;               // [row][word] whether a row equals another
};

/// Adds the contacts of the slices [first, end) with themselves and with the next slice.
template <class T, Across across>
void find_contacts(RowSource& labels, const Extent& extent, Connectivity connectivity, std::int64_t first, std::int64_t end, Found& found) {
    const Isa isa = default_isa();
    RowContacts<T, across> contacts(extent, connectivity, found, isa);
    Slice<T> own, above;
    if (first < end) own.read(labels, extent, first, isa);
    for (std::int64_t z = first; z < end; ++z, std::swap(own, above)) {
        const bool is_last = z + 1 == extent.nz;
        if (!is_last) above.read(labels, extent, z + 1, isa);
        for (std::int64_t y = 0; y < extent.ny; ++y) contacts.add(own, is_last ? nullptr : &above, y, extent.ny);
    }
    found.finish();
}

}  // namespace

std::vector<LabelContact> label_contacts(RowSource& labels, const Extent& extent, Connectivity connectivity, ThreadPool& pool,
                                         MemoryLimit* memory) {
    const bool has_edges = is_neighbour(connectivity, 1, 1, 0);
    const bool in_order = labels.access() == RowSource::Access::in_order;
    const std::int64_t parts = in_order ? 1 : std::min<std::int64_t>(pool.size(), extent.nz);
    std::vector<Found> found;
    found.reserve(std::size_t(parts));
    for (std::int64_t part = 0; part < parts; ++part) found.emplace_back(memory);
    pool.for_each(parts, [&](std::int64_t part) {
        visit_scalar(labels.value_type(), [&]<class T>(std::type_identity<T>) {
            if constexpr (std::is_integral_v<T>) {
                const auto find = has_edges ? find_contacts<T, Across::all> : find_contacts<T, Across::faces>;
                find(labels, extent, connectivity, extent.nz * part / parts, extent.nz * (part + 1) / parts, found[std::size_t(part)]);
            } else throw Error(ErrorKind::invalid_argument, "labels", "labels must be integers");
        });
    });
    for (std::size_t part = 1; part < found.size(); ++part) found.front().add(found[part]);
    return found.front().sorted();
}

std::optional<std::vector<LabelContact>> contacts_on_device(Labelling& labelling, Connectivity connectivity,
                                                            std::span<const std::uint64_t> final_numbers, MemoryLimit* memory) {
    auto* const counts = dynamic_cast<CountsNeighbours*>(&labelling);
    return counts ? counts->contacts(connectivity, final_numbers, memory) : std::nullopt;
}

std::int64_t contact_bytes_per_thread(const Extent& extent) {
    return 2 * extent.ny *
               (2 * words_of(extent.nx) * std::int64_t(sizeof(std::uint64_t)) + std::int64_t(sizeof(Slice<std::uint64_t>::Row))) +
           std::int64_t(sizeof(Found));
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
