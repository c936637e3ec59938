#include <voxcc/contacts.h>

#include <voxcc/source.h>
#include "kernels3d/base/check_axes.h"
#include "kernels3d/measure/label_sum_table.h"
#include "kernels3d/simd/compare.h"
#include "kernels3d/threads/reading.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>
#include <variant>

namespace voxcc {
namespace {

/// Labels below this limit are found in an array. The limit grows with the number of labels, so that the array stays small.
constexpr std::uint64_t small_labels(std::size_t labels) { return std::max<std::uint64_t>(std::uint64_t{1} << 22, 4 * labels); }

/// The sum of the indices 0 to n - 1 of an axis, and the sum of their squares.
struct AxisSums {
    uint128 ramp, squares;
    explicit AxisSums(std::int64_t n) : ramp(uint128(n) * uint128(n - 1) / 2), squares(ramp * uint128(2 * n - 1) / 3) {}
};

/// The moments of all voxels of a volume.
Moments<std::uint64_t, uint128> moments_of_volume(const Extent& e) {
    const AxisSums x(e.nx), y(e.ny), z(e.nz);
    const uint128 nx(e.nx), ny(e.ny), nz(e.nz);
    return {std::uint64_t(e.voxels()),
            std::uint64_t(x.ramp * ny * nz),
            std::uint64_t(y.ramp * nx * nz),
            std::uint64_t(z.ramp * nx * ny),
            x.squares * ny * nz,
            y.squares * nx * nz,
            z.squares * nx * ny,
            x.ramp * y.ramp * nz,
            x.ramp * z.ramp * ny,
            y.ramp * z.ramp * nx};
}

/// The columns of a word with a bit of the number k of the column set, for k = 0 to 5.
// k = 1: columns 2, 3, 6, 7, 10, ...
constexpr std::uint64_t columns_with_bit[] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                              0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};

/// The moments of the voxels (i, 0, 0) of which bit i is set.
// bits 0, 2 and 3  ->  n 3, x 5, xx 13
template <class Wide>
VOXCC_INLINE Moments<std::uint64_t, Wide> moments_of_bits(std::uint64_t bits) {
    std::uint64_t x = 0, xx = 0;
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
        const std::uint64_t with_j = bits & columns_with_bit[j];
        const auto count = std::uint64_t(std::popcount(with_j));
        x += count << j, xx += count << 2 * j;
#pragma GCC unroll 6
        for (int k = j + 1; k < 6; ++k) xx += std::uint64_t(std::popcount(with_j & columns_with_bit[k])) << (j + k + 1);
    }
    Moments<std::uint64_t, Wide> moments;
    moments.n = std::uint64_t(std::popcount(bits)), moments.x = x, moments.xx = xx;
    return moments;
}

}  // namespace

/// What LabelSums does, with its arrays.
class LabelSums::Rows {
public:
    explicit Rows(const Extent& extent);
    void add_row(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels, std::span<std::uint32_t> numbers);
    template <class T>
    void add_row(std::int64_t y, std::int64_t z, std::span<const T> labels);
    WideSums background() const;
    void add(const Rows& other);
    void add(std::uint64_t label, const WideSums& sums);
    const std::vector<std::uint64_t>& labels() const { return labels_; }
    WideSums operator[](std::size_t row) const;
    SumTable table() const;

private:
    std::uint32_t number_of(std::uint64_t label) {
        return label < small_.size() && small_[label] != 0 ? small_[label] : new_number_of(label);
    }
    std::uint32_t new_number_of(std::uint64_t label);
    /// Sets same_ for a row.
    template <class T>
    void compare_with_next(std::span<const T> labels);
    /// Calls f(label, first, last) for each run of a label in word w of a row, after compare_with_next(). Both columns are inclusive.
    /// @param labelled the columns of the word with a label
    template <class T, class F>
    void for_runs(const T* labels, std::uint64_t labelled, std::int64_t w, const F& f);
    /// The columns of word w of a row of nx labels that are not set in zero_.
    std::uint64_t labelled_columns(std::size_t nx, std::size_t w) const {
        return ~zero_[w] & (nx - 64 * w < 64 ? ~(~std::uint64_t{0} << (nx - 64 * w)) : ~std::uint64_t{0});
    }
    /// Adds the columns of the first words of zero_ to the bounding box of the background.
    void widen_background(std::size_t words, std::int64_t y, std::int64_t z);

    Extent extent_;
    std::variant<LabelSumTable<std::uint64_t>, LabelSumTable<uint128>> sums_;
    std::vector<std::uint64_t> labels_;
    std::vector<std::uint32_t> small_;  // [label]: number of a small label, 0 if it has none
    std::unordered_map<std::uint64_t, std::uint32_t> large_;
    WideSums background_box_;                 // only the bounding box of the voxels with label 0
    std::uint64_t known_ = 0;                 // a label of the row before, or 0
    std::vector<std::uint64_t> all_;          // [word] all bits set
    std::vector<std::uint64_t> zero_, same_;  // [word] whether a label of a row is 0; whether it is the label of the next voxel
    std::vector<std::uint64_t> is_known_;     // [word] whether a label of a row is known_
};

LabelSums::Rows::Rows(const Extent& extent)
    : extent_(extent),
      all_(std::size_t(words_of(extent.nx)), ~std::uint64_t{0}),
      zero_(all_.size()),
      same_(all_.size()),
      is_known_(all_.size()) {
    check_axes(extent, "labels");
    if (!second_moments_fit(extent)) sums_.emplace<LabelSumTable<uint128>>();
}

std::uint32_t LabelSums::Rows::new_number_of(std::uint64_t label) {
    if (const auto found = large_.find(label); found != large_.end()) return found->second;
    if (labels_.size() == ~std::uint32_t{0}) throw Error(ErrorKind::out_of_memory, "labels", "more than 2^32 - 1 different labels");
    const auto number = std::uint32_t(labels_.size() + 1);
    if (label >= small_labels(labels_.size())) {
        large_.emplace(label, number);
    } else {
        if (label >= small_.size()) small_.resize(std::max<std::size_t>(label + 1, small_.size() * 2));
        small_[label] = number;
    }
    std::visit([](auto& table) { table.add_label(); }, sums_);
    labels_.push_back(label);
    return number;
}

template <class T, class F>
VOXCC_INLINE void LabelSums::Rows::for_runs(const T* labels, std::uint64_t labelled, std::int64_t w, const F& f) {
    const std::uint64_t same = same_[std::size_t(w)];
    while (labelled != 0) {
        const int first = std::countr_zero(labelled);
        const int last = std::min(63, first + std::countr_one(same >> first));
        f(labels[64 * w + first], 64 * std::uint64_t(w) + std::uint64_t(first), 64 * std::uint64_t(w) + std::uint64_t(last));
        labelled &= ~(~std::uint64_t{0} << first & ~std::uint64_t{0} >> (63 - last));
    }
}

template <class T>
void LabelSums::Rows::compare_with_next(std::span<const T> labels) {
    const block_runs::Comparison<T> next{labels.data() + 1, all_.data(), std::int64_t(labels.size()) - 1, same_.data()};
    same_[words_of(labels.size()) - 1] = 0;
    block_runs::equal_rows<T>(default_isa(), labels.data(), all_.data(), {&next, 1});
}

template <class T>
void LabelSums::Rows::add_row(std::int64_t y, std::int64_t z, std::span<const T> labels) {
    const auto nx = std::int64_t(labels.size());
    const std::size_t words = words_of(labels.size());
    const Isa isa = default_isa();
    block_runs::within_row<T>(isa, labels.data(), 0, 0, nx, zero_.data());
    // Most words contain only one label besides 0, which is often the label of the row before. Their sums follow from bits.
    const T known = std::uint64_t(std::int64_t(T(known_))) == known_ ? T(known_) : T(0);
    const std::uint32_t known_number = known == 0 ? 0 : number_of(known_);
    block_runs::within_row<T>(isa, labels.data(), known, known, nx, is_known_.data());
    bool compared = false;  // whether same_ holds the results of this row
    std::visit(
        [&]<class Wide>(LabelSumTable<Wide>& table) {
            T last_label = 0;
            std::uint32_t last_number = 0;
            const auto add_run = [&](T label, std::uint64_t first, std::uint64_t last) __attribute__((always_inline)) {
                if (label != last_label) last_number = number_of(std::uint64_t(std::int64_t(label))), last_label = label;
                RowSums<Wide>& sums = table.of_row(last_number, first, y, z);
                const auto run = Moments<std::uint64_t, Wide>::stretch(first, last - first + 1);
                sums.n += run.n, sums.x += run.x, sums.xx += run.xx;
                sums.x1 = std::uint32_t(last);
            };
            block_runs::run_on(isa, [&] {
                for (std::size_t w = 0; w < words; ++w) {
                    const std::uint64_t labelled = labelled_columns(labels.size(), w);
                    if (labelled == 0) continue;
                    if (known != 0 && is_known_[w] == labelled) {
                        const std::uint64_t begin = 64 * w;
                        RowSums<Wide>& sums = table.of_row(known_number, begin + std::uint64_t(std::countr_zero(labelled)), y, z);
                        const Moments<std::uint64_t, Wide> word = moments_of_bits<Wide>(labelled).shifted(begin, 0, 0);
                        sums.n += word.n, sums.x += word.x, sums.xx += word.xx;
                        sums.x1 = std::uint32_t(begin + 63 - std::uint64_t(std::countl_zero(labelled)));
                    } else {
                        if (!compared) compare_with_next(labels);
                        compared = true;
                        for_runs(labels.data(), labelled, std::int64_t(w), add_run);
                    }
                }
            });
            if (last_label != 0) known_ = std::uint64_t(std::int64_t(last_label));
            table.finish_row(y, z);
        },
        sums_);
    widen_background(words, y, z);
}

void LabelSums::Rows::widen_background(std::size_t words, std::int64_t y, std::int64_t z) {
    std::size_t first = 0, last = words;
    while (first < words && zero_[first] == 0) ++first;
    if (first == words) return;
    while (zero_[last - 1] == 0) --last;
    const auto x0 = std::uint32_t(64 * first + std::size_t(std::countr_zero(zero_[first])));
    const auto x1 = std::uint32_t(64 * last - 1 - std::size_t(std::countl_zero(zero_[last - 1])));
    const auto at_y = std::uint32_t(y), at_z = std::uint32_t(z);
    widen_box(background_box_, WideSums{{}, x0, at_y, at_z, x1, at_y, at_z});
}

void LabelSums::Rows::add(const Rows& other) {
    for (std::size_t row = 0; row < other.labels_.size(); ++row) {
        const std::uint32_t number = number_of(other.labels_[row]);
        std::visit([&](auto& table) { table[number - 1].add(std::get<std::decay_t<decltype(table)>>(other.sums_)[row]); }, sums_);
    }
    widen_box(background_box_, other.background_box_);
}

void LabelSums::Rows::add(std::uint64_t label, const WideSums& sums) {
    const std::uint32_t number = number_of(label);
    std::visit([&](auto& table) { table[number - 1].add(sums); }, sums_);
}

void LabelSums::Rows::add_row(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels, std::span<std::uint32_t> numbers) {
    add_row(y, z, labels);
    compare_with_next(labels);
    std::fill(numbers.begin(), numbers.end(), 0);
    for (std::size_t w = 0; w < words_of(labels.size()); ++w)
        for_runs(labels.data(), labelled_columns(labels.size(), w), std::int64_t(w),
                 [&](std::uint64_t label, std::uint64_t first, std::uint64_t last) {
                     std::fill(numbers.begin() + std::ptrdiff_t(first), numbers.begin() + std::ptrdiff_t(last) + 1, number_of(label));
                 });
}

WideSums LabelSums::Rows::background() const {
    WideSums sums = background_box_;
    if (sums.x0 == WideSums::no_index) return sums;
    static_cast<Moments<std::uint64_t, uint128>&>(sums) = moments_of_volume(extent_);
    for (std::size_t row = 0; row < labels_.size(); ++row)
        sums.for_each_with((*this)[row], [](auto& all, const auto& part) { all -= part; });
    return sums;
}

WideSums LabelSums::Rows::operator[](std::size_t row) const {
    WideSums wide;
    std::visit([&](const auto& table) { wide.add(table[row]); }, sums_);
    return wide;
}

SumTable LabelSums::Rows::table() const {
    return std::visit([](const auto& table) { return SumTable(table.sums()); }, sums_);
}

LabelSums::LabelSums(const Extent& extent) : rows_(std::make_unique<Rows>(extent)) {}
LabelSums::LabelSums(const LabelSums& other) : rows_(std::make_unique<Rows>(*other.rows_)) {}
LabelSums::LabelSums(LabelSums&&) noexcept = default;
LabelSums& LabelSums::operator=(LabelSums&&) noexcept = default;
LabelSums::~LabelSums() = default;

void LabelSums::add_row(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels, std::span<std::uint32_t> numbers) {
    rows_->add_row(y, z, labels, numbers);
}

template <class T>
void LabelSums::add_row(std::int64_t y, std::int64_t z, std::span<const T> labels) {
    rows_->add_row(y, z, labels);
}
template void LabelSums::add_row(std::int64_t, std::int64_t, std::span<const std::int8_t>);
template void LabelSums::add_row(std::int64_t, std::int64_t, std::span<const std::uint8_t>);
template void LabelSums::add_row(std::int64_t, std::int64_t, std::span<const std::int16_t>);
template void LabelSums::add_row(std::int64_t, std::int64_t, std::span<const std::uint16_t>);
template void LabelSums::add_row(std::int64_t, std::int64_t, std::span<const std::int32_t>);
template void LabelSums::add_row(std::int64_t, std::int64_t, std::span<const std::uint32_t>);
template void LabelSums::add_row(std::int64_t, std::int64_t, std::span<const std::int64_t>);
template void LabelSums::add_row(std::int64_t, std::int64_t, std::span<const std::uint64_t>);

WideSums LabelSums::background() const { return rows_->background(); }
void LabelSums::add(const LabelSums& other) { rows_->add(*other.rows_); }
void LabelSums::add(std::uint64_t label, const WideSums& sums) { rows_->add(label, sums); }
const std::vector<std::uint64_t>& LabelSums::labels() const { return rows_->labels(); }
WideSums LabelSums::operator[](std::size_t row) const { return (*rows_)[row]; }
SumTable LabelSums::table() const { return rows_->table(); }

namespace {

/// Adds fetched rows to sums. @param fetched result of labels.fetch(range)
void add_rows(LabelSums& sums, const RowSource& labels, const Extent& extent, const std::byte* fetched, RowRange range) {
    visit_scalar(labels.value_type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>)
            for (std::int64_t i = 0; i < range.count; ++i) {
                const std::int64_t row = range.first + i;
                const auto* const values = reinterpret_cast<const T*>(labels.values(fetched, range, i));
                sums.add_row(row % extent.ny, row / extent.ny, std::span<const T>(values, std::size_t(extent.nx)));
            }
        else throw Error(ErrorKind::invalid_argument, "labels", "labels must be integers");
    });
}

}  // namespace

LabelSums sum_labels(RowSource& labels, const Extent& extent, ThreadPool& pool) {
    const std::int64_t rows = extent.rows(), parts = std::min<std::int64_t>(pool.size(), rows);
    const std::int64_t step = std::max<std::int64_t>(1, labels.rows_per_fetch());
    std::vector<LabelSums> sums(static_cast<std::size_t>(parts), LabelSums(extent));
    if (labels.access() == RowSource::Access::in_order) {
        Reading reading;
        pool.for_each(parts, [&](std::int64_t part) {
            std::vector<std::byte> buffer;
            RowRange range;
            const std::byte* fetched = nullptr;
            const auto read = [&](std::int64_t piece) {
                range = {piece * step, std::min(step, rows - piece * step)};
                if (range.count > 0) fetched = labels.fetch(range, buffer);
            };
            while (reading.next(read) && range.count > 0) add_rows(sums[std::size_t(part)], labels, extent, fetched, range);
        });
    } else {
        pool.for_each(parts, [&](std::int64_t part) {
            std::vector<std::byte> buffer;
            const std::int64_t end = rows * (part + 1) / parts;
            for (std::int64_t first = rows * part / parts; first < end; first += step) {
                const RowRange range{first, std::min(step, end - first)};
                add_rows(sums[std::size_t(part)], labels, extent, labels.fetch(range, buffer), range);
            }
        });
    }
    for (std::size_t part = 1; part < sums.size(); ++part) sums.front().add(sums[part]);
    return std::move(sums.front());
}

}  // namespace voxcc
