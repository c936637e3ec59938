#include <voxcc/label_sums.h>

#include <voxcc/bits.h>
#include "kernels3d/simd/compare.h"

#include <bit>
#include <utility>

namespace voxcc {
namespace {

constexpr std::uint64_t small_labels = std::uint64_t{1} << 22;

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

/// The sums of the voxels of row (y, z) of which the sums along x are known.
template <class Wide>
Sums<Wide> sums_at(std::uint64_t n, std::uint64_t x, Wide xx, std::uint32_t x0, std::uint32_t x1, std::int64_t y, std::int64_t z) {
    Moments<std::uint64_t, Wide> along_x;
    along_x.n = n, along_x.x = x, along_x.xx = xx;
    return {along_x.shifted(0, std::uint64_t(y), std::uint64_t(z)),
            x0,
            std::uint32_t(y),
            std::uint32_t(z),
            x1,
            std::uint32_t(y),
            std::uint32_t(z)};
}

}  // namespace

LabelSums::LabelSums(const Extent& extent)
    : extent_(extent), all_(std::size_t(words_of(extent.nx)), ~std::uint64_t{0}), same_(all_.size()) {
    if (!second_moments_fit(extent)) sums_.emplace<Table<uint128>>();
}

std::uint32_t LabelSums::number_of(std::uint64_t label) {
    if (label < small_labels && label >= small_.size()) small_.resize(std::max<std::size_t>(label + 1, small_.size() * 2));
    std::uint32_t& number = label < small_labels ? small_[label] : large_[label];
    if (number == 0) {
        if (labels_.size() == ~std::uint32_t{0}) throw Error(ErrorKind::out_of_memory, "labels", "more than 2^32 - 1 different labels");
        std::visit([](auto& table) { table.sums.emplace_back(), table.row.emplace_back(); }, sums_);
        labels_.push_back(label);
        number = std::uint32_t(labels_.size());
    }
    return number;
}

template <class T, class F>
void LabelSums::for_runs(std::span<const T> labels, const F& f) {
    const T* const row = labels.data();
    const block_runs::Comparison<T> next{row + 1, all_.data(), std::int64_t(labels.size()) - 1, same_.data()};
    same_.back() = 0;
    block_runs::equal_rows<T>(block_runs::default_isa(), row, all_.data(), {&next, 1});
    std::uint64_t first = 0;
    for (std::size_t w = 0; w < same_.size(); ++w)
        for (std::uint64_t ends = ~same_[w]; ends != 0; ends &= ends - 1) {
            const std::uint64_t last = 64 * w + std::uint64_t(std::countr_zero(ends));
            if (last >= labels.size()) break;
            f(row[first], first, last);
            first = last + 1;
        }
}

template <class T>
void LabelSums::add_row(std::int64_t y, std::int64_t z, std::span<const T> labels) {
    const auto at_y = std::uint32_t(y), at_z = std::uint32_t(z);
    std::visit(
        [&]<class Wide>(Table<Wide>& table) {
            std::uint32_t zero0 = WideSums::no_index, zero1 = 0;
            T known = 0;  // the label of `number`
            std::uint32_t number = 0;
            for_runs(labels, [&](T label, std::uint64_t first, std::uint64_t last) {
                if (label == 0) {
                    zero0 = std::min(zero0, std::uint32_t(first)), zero1 = std::uint32_t(last);
                    return;
                }
                if (label != known) {
                    const auto bits = std::uint64_t(std::int64_t(label));
                    number = bits < small_.size() && small_[bits] != 0 ? small_[bits] : number_of(bits);
                    known = label;
                }
                RowSums<Wide>& sums = table.row[number - 1];
                if (sums.n == 0) {
                    in_row_.push_back(number - 1);
                    sums.x0 = std::uint32_t(first);
                }
                const auto run = Moments<std::uint64_t, Wide>::stretch(first, last - first + 1);
                sums.n += run.n, sums.x += run.x, sums.xx += run.xx;
                sums.x1 = std::uint32_t(last);
            });
            for (const std::uint32_t row : in_row_) {
                const RowSums<Wide> sums = std::exchange(table.row[row], {});
                table.sums[row].add(sums_at(sums.n, sums.x, sums.xx, sums.x0, sums.x1, y, z));
            }
            in_row_.clear();
            if (zero0 <= zero1) widen_box(background_box_, WideSums{{}, zero0, at_y, at_z, zero1, at_y, at_z});
        },
        sums_);
}

void LabelSums::add(const LabelSums& other) {
    for (std::size_t row = 0; row < other.labels_.size(); ++row) {
        const std::uint32_t number = number_of(other.labels_[row]);
        std::visit([&](auto& table) { table.sums[number - 1].add(std::get<std::decay_t<decltype(table)>>(other.sums_).sums[row]); }, sums_);
    }
    widen_box(background_box_, other.background_box_);
}

void LabelSums::add_row(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels, std::span<std::uint32_t> numbers) {
    for_runs(labels, [&](std::uint64_t label, std::uint64_t first, std::uint64_t last) {
        const std::uint32_t number = label == 0 ? 0 : number_of(label);
        std::fill(numbers.begin() + std::ptrdiff_t(first), numbers.begin() + std::ptrdiff_t(last) + 1, number);
        if (number == 0) return;
        std::visit(
            [&]<class Wide>(Table<Wide>& table) {
                const auto run = Moments<std::uint64_t, Wide>::stretch(first, last - first + 1);
                table.sums[number - 1].add(sums_at(run.n, run.x, run.xx, std::uint32_t(first), std::uint32_t(last), y, z));
            },
            sums_);
    });
}

WideSums LabelSums::background() const {
    WideSums sums = background_box_;
    if (sums.x0 == WideSums::no_index) return sums;
    static_cast<Moments<std::uint64_t, uint128>&>(sums) = moments_of_volume(extent_);
    for (std::size_t row = 0; row < labels_.size(); ++row)
        sums.for_each_with((*this)[row], [](auto& all, const auto& part) { all -= part; });
    return sums;
}

WideSums LabelSums::operator[](std::size_t row) const {
    WideSums wide;
    std::visit([&](const auto& table) { wide.add(table.sums[row]); }, sums_);
    return wide;
}

SumTable LabelSums::table() const {
    return std::visit([](const auto& table) { return SumTable(table.sums); }, sums_);
}

LabelSums sum_labels(block_runs::RowSource& labels, const Extent& extent, ThreadPool& pool) {
    const std::int64_t rows = extent.rows(), parts = std::min<std::int64_t>(pool.size(), rows);
    const std::int64_t step = std::max<std::int64_t>(1, labels.rows_per_fetch());
    std::vector<LabelSums> sums(static_cast<std::size_t>(parts), LabelSums(extent));
    pool.for_each(parts, [&](std::int64_t part) {
        std::vector<std::byte> buffer;
        const std::int64_t end = rows * (part + 1) / parts;
        for (std::int64_t first = rows * part / parts; first < end; first += step) {
            const RowRange range{first, std::min(step, end - first)};
            const std::byte* const fetched = labels.fetch(range, buffer);
            visit_scalar(labels.value_type(), [&]<class T>(std::type_identity<T>) {
                if constexpr (std::is_integral_v<T>)
                    for (std::int64_t i = 0; i < range.count; ++i) {
                        const auto* const row = reinterpret_cast<const T*>(labels.values(fetched, range, i));
                        sums[std::size_t(part)].add_row((first + i) % extent.ny, (first + i) / extent.ny,
                                                        std::span<const T>(row, std::size_t(extent.nx)));
                    }
                else throw Error(ErrorKind::invalid_argument, "labels", "labels must be integers");
            });
        }
    });
    for (std::size_t part = 1; part < sums.size(); ++part) sums.front().add(sums[part]);
    return std::move(sums.front());
}

}  // namespace voxcc
