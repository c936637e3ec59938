#include "src/pipeline/sampled_values.h"

#include <voxcc/source.h>

#include <algorithm>
#include <cstring>

namespace voxcc {
namespace {

constexpr std::size_t most_labels = 1 << 16;

ForegroundRule neither_0_nor_1(const io::Scaling& scaling) {
    return {.kind = ForegroundRule::Kind::none_of, .slope = scaling.slope, .intercept = scaling.intercept, .values = {0, 1}};
}

}  // namespace

SampledValues::SampledValues(const io::VolumeInfo& info)
    : type_(info.type),
      other_(info.type, neither_0_nor_1(info.scaling)),
      bytes_per_voxel_(size_of(info.type)),
      rows_per_sample_(std::max<std::int64_t>(info.extent.rows() / 4096, 1)) {
    constexpr std::int64_t voxels = 1 << 16;
    rows_per_label_sample_ = std::max<std::int64_t>(info.extent.rows() / std::max<std::int64_t>(voxels / info.extent.nx, 1), 1);
}

void SampledValues::add(Isa isa, std::int64_t row, const std::byte* voxels, std::int64_t count) {
    if (row % rows_per_label_sample_ == 0) add_labels(voxels, count);
    if (row % rows_per_sample_ != 0) return;
    constexpr std::int64_t piece = 4096;
    std::uint64_t bits[piece / 64];
    for (std::int64_t x = 0; x < count && !found_; x += piece) {
        const std::int64_t n = std::min(piece, count - x);
        other_.pack(isa, voxels + x * bytes_per_voxel_, n, bits);
        if (std::any_of(bits, bits + words_of(n), [](std::uint64_t word) { return word != 0; })) found_ = true;
    }
}

void SampledValues::add_labels(const std::byte* voxels, std::int64_t count) {
    visit_scalar(type_, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>) {
            std::uint64_t equal = 0, other = 0;
            std::unordered_set<std::uint64_t> labels;
            T before = 0;
            for (std::int64_t x = 0; x < count; ++x) {
                T value;
                std::memcpy(&value, voxels + x * bytes_per_voxel_, sizeof(T));
                if (value != before && value != 0) labels.insert(std::uint64_t(value));
                if (value != 0 && before != 0) ++(value == before ? equal : other);
                before = value;
            }
            equal_pairs_ += equal, other_pairs_ += other;
            const std::lock_guard lock(mutex_);
            if (labels_.size() < most_labels) labels_.insert(labels.begin(), labels.end());
        }
    });
}

bool SampledValues::shows_joined_labels(std::uint64_t components) const {
    const std::uint64_t equal = equal_pairs_, other = other_pairs_;
    return labels_.size() > 1 && equal >= 4 * other && equal > 0 && (other > 0 || labels_.size() > components);
}

bool examines_values(const LabelOptions& o) {
    const bool selects_values = !o.threshold.empty() || !o.threshold_from.empty() || o.mode == LabelOptions::Mode::multilabel ||
                                o.gradient || o.colour || o.polarity == Polarity::background || o.signs == LabelOptions::Signs::split;
    return !selects_values;
}

std::optional<std::string> possible_threshold(const LabelOptions& o) {
    if (!examines_values(o)) return std::nullopt;
    for (std::size_t i = 2; i < o.arguments.size(); ++i) {
        if (o.arguments[i] == "--") break;
        if (o.arguments[i] == "-t" && i + 1 < o.arguments.size()) return o.arguments[i + 1];
    }
    return std::nullopt;
}

}  // namespace voxcc
