#include "src/pipeline/sampled_values.h"

#include <voxcc/bits.h>

#include <algorithm>

namespace voxcc {
namespace {

ForegroundRule neither_0_nor_1(const io::Scaling& scaling) {
    return {.kind = ForegroundRule::Kind::none_of, .slope = scaling.slope, .intercept = scaling.intercept, .values = {0, 1}};
}

}  // namespace

SampledValues::SampledValues(const io::VolumeInfo& info)
    : other_(info.type, neither_0_nor_1(info.scaling)),
      bytes_per_voxel_(size_of(info.type)),
      rows_per_sample_(std::max<std::int64_t>(info.extent.rows() / 4096, 1)) {}

void SampledValues::add(block_runs::Isa isa, std::int64_t row, const std::byte* voxels, std::int64_t count) {
    if (row % rows_per_sample_ != 0) return;
    constexpr std::int64_t piece = 4096;
    std::uint64_t bits[piece / 64];
    for (std::int64_t x = 0; x < count && !found_; x += piece) {
        const std::int64_t n = std::min(piece, count - x);
        other_.pack(isa, voxels + x * bytes_per_voxel_, n, bits);
        if (std::any_of(bits, bits + words_of(n), [](std::uint64_t word) { return word != 0; })) found_ = true;
    }
}

std::optional<std::string> possible_threshold(const LabelOptions& o) {
    const bool selects_values = !o.threshold.empty() || !o.threshold_from.empty() || o.mode == LabelOptions::Mode::multilabel ||
                                o.gradient || o.colour || o.polarity == Polarity::background;
    if (selects_values) return std::nullopt;
    for (std::size_t i = 2; i < o.arguments.size(); ++i) {
        if (o.arguments[i] == "--") break;
        if (o.arguments[i] == "-t" && i + 1 < o.arguments.size()) return o.arguments[i + 1];
    }
    return std::nullopt;
}

std::string note_on_threads(const std::string& input, const std::string& number) {
    return input + ": has values other than 0 and 1, and all values but 0 are foreground; -t " + number +
           " is the number of threads; for a threshold, add --threshold '>=" + number + "'";
}

}  // namespace voxcc
