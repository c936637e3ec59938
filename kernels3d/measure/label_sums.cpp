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

}  // namespace voxcc
