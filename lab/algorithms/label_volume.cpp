// Measures and paints a label volume in host memory.
#include "lab/algorithms/label_volume.h"

#include <voxcc/measure.h>
#include <voxcc/threads.h>

#include <cstring>
#include <numeric>
#include <utility>

namespace voxcc::algorithms {

SumTable LabelVolume::measure() {
    if (auto known = std::exchange(sums_, std::nullopt)) return std::move(*known);
    Stopwatch watch;
    LabelSums sums(extent_);  // numbers labels by first occurrence, which is the order of the labels here
    std::vector<std::uint64_t> row(std::size_t(extent_.nx));
    std::vector<std::uint32_t> numbers(row.size());
    for (std::int64_t r = 0; r < extent_.rows(); ++r) {
        std::copy_n(labels_.data() + r * extent_.nx, extent_.nx, row.begin());
        sums.add_row(r % extent_.ny, r / extent_.ny, row, numbers);
    }
    SumTable table = sums.table();
    seconds_.measure = watch.lap();
    return table;
}

void LabelVolume::prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) {
    type_ = type;
    final_.resize(std::size_t(count_) + 1);
    if (final_numbers.empty()) std::iota(final_.begin(), final_.end(), std::uint64_t{0});
    else std::copy(final_numbers.begin(), final_numbers.end(), final_.begin() + 1);
}

void LabelVolume::paint(RowRange rows, std::byte* out, Stores) const {
    const std::uint32_t* const from = labels_.data() + rows.first * extent_.nx;
    visit_scalar(type_, [&]<class T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < rows.count * extent_.nx; ++i, out += sizeof(T)) {
            const T label = T(final_[from[i]]);
            std::memcpy(out, &label, sizeof label);
        }
    });
}

void SumsWithoutLabels::prepare_paint(ScalarType, std::span<const std::uint64_t>) {
    throw Error(ErrorKind::internal, "paint", "only the sums of this volume were requested");
}

void SumsWithoutLabels::paint(RowRange, std::byte*, Stores) const {
    throw Error(ErrorKind::internal, "paint", "only the sums of this volume were requested");
}

}  // namespace voxcc::algorithms
