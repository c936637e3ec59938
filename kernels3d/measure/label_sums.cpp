#include <voxcc/label_sums.h>

namespace voxcc {
namespace {

constexpr std::uint64_t small_labels = std::uint64_t{1} << 22;

// Adds the voxels [first, last] of a row, both ends inclusive.
template <class Wide>
void add_run(Sums<Wide>& sums, std::uint64_t first, std::uint64_t last, std::uint64_t y, std::uint64_t z) {
    const auto moments = Moments<std::uint64_t, Wide>::stretch(first, last - first + 1).shifted(0, y, z);
    const auto x0 = std::uint32_t(first), x1 = std::uint32_t(last), y0 = std::uint32_t(y), z0 = std::uint32_t(z);
    sums.add(Sums<Wide>{moments, x0, y0, z0, x1, y0, z0});
}

}  // namespace

LabelSums::LabelSums(const Extent& extent) {
    if (!second_moments_fit(extent)) sums_.emplace<std::vector<WideSums>>();
}

std::uint32_t LabelSums::number_of(std::uint64_t label) {
    if (label < small_labels && label >= small_.size()) small_.resize(label + 1);
    std::uint32_t& number = label < small_labels ? small_[label] : large_[label];
    if (number == 0) {
        if (labels_.size() == ~std::uint32_t{0}) throw Error(ErrorKind::out_of_memory, "labels", "more than 2^32 - 1 different labels");
        std::visit([](auto& sums) { sums.emplace_back(); }, sums_);
        labels_.push_back(label);
        number = std::uint32_t(labels_.size());
    }
    return number;
}

template <class T>
void LabelSums::add_row(std::int64_t y, std::int64_t z, std::span<const T> labels) {
    std::visit(
        [&](auto& sums) {
            for (std::size_t first = 0, end = 0; first < labels.size(); first = end) {
                const T label = labels[first];
                while (end < labels.size() && labels[end] == label) ++end;
                if (label == 0) continue;
                const std::size_t row = number_of(std::uint64_t(std::int64_t(label))) - 1;
                add_run(sums[row], first, end - 1, std::uint64_t(y), std::uint64_t(z));
            }
        },
        sums_);
}

void LabelSums::add(const LabelSums& other) {
    for (std::size_t row = 0; row < other.labels_.size(); ++row) {
        const std::uint32_t number = number_of(other.labels_[row]);
        std::visit([&](auto& sums) { sums[number - 1].add(std::get<std::decay_t<decltype(sums)>>(other.sums_)[row]); }, sums_);
    }
}

void LabelSums::add_row(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels, std::span<std::uint32_t> numbers) {
    for (std::size_t first = 0, end = 0; first < labels.size(); first = end) {
        const std::uint64_t label = labels[first];
        while (end < labels.size() && labels[end] == label) ++end;
        const std::uint32_t number = label == 0 ? 0 : number_of(label);
        std::fill(numbers.begin() + std::ptrdiff_t(first), numbers.begin() + std::ptrdiff_t(end), number);
        if (number > 0)
            std::visit([&](auto& sums) { add_run(sums[number - 1], first, end - 1, std::uint64_t(y), std::uint64_t(z)); }, sums_);
    }
}

WideSums LabelSums::operator[](std::size_t row) const {
    WideSums wide;
    std::visit([&](const auto& sums) { wide.add(sums[row]); }, sums_);
    return wide;
}

SumTable LabelSums::table() const {
    return std::visit([](const auto& sums) { return SumTable(sums); }, sums_);
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
