#include "src/pipeline/level.h"

#include <voxcc/foreground.h>
#include "src/pipeline/each_value.h"
#include "src/pipeline/histogram.h"
#include "src/pipeline/histogram_levels.h"
#include "src/pipeline/li_level.h"

#include <algorithm>
#include <cmath>

namespace voxcc {
namespace {

// The k-th smallest stored value except NaN (k is 0-based). Each pass over the volume finds 16 bits of its key.
template <class T>
T order_statistic(const LevelVoxels& voxels, std::uint64_t k) {
    constexpr int bits = sizeof(T) * 8, digit = std::min(bits, 16);
    std::uint64_t prefix = 0;
    for (int shift = bits - digit; shift >= 0; shift -= digit) {
        std::vector<std::uint64_t> counts(std::size_t{1} << digit);
        each_value<T>(voxels, [&](T v) {
            if (v != v) return;
            const std::uint64_t key = ordered_key(v);
            if (shift + digit < 64 && key >> (shift + digit) != prefix) return;
            ++counts[key >> shift & ((std::uint64_t{1} << digit) - 1)];
        });
        std::size_t at = 0;
        while (k >= counts[at]) k -= counts[at++];
        prefix = prefix << digit | at;
    }
    return value_of_key<T>(KeyOf<T>(prefix));
}

template <class T>
std::uint64_t count_numbers(const LevelVoxels& voxels) {
    std::uint64_t n = 0;
    if constexpr (std::is_floating_point_v<T>) each_value<T>(voxels, [&](T v) { n += v == v; });
    else if (voxels.mask) each_part<T>(voxels, [&](std::span<const T> values) { n += values.size(); });
    else n = std::uint64_t(voxels.info().extent.voxels());
    if (n == 0) no_values(voxels, "value that is a number");
    return n;
}

template <class T, class Value>
double percentile(const LevelVoxels& voxels, const Value& value, double p) {
    using V = decltype(value(T{}));
    const io::Scaling scaling = voxels.info().scaling;
    const std::uint64_t n = count_numbers<T>(voxels);
    const auto [index, next, part] = percentile_place(n, p);  // in the scaled values
    const auto stored_place = [&](std::uint64_t at) { return scaling.slope < 0 ? n - 1 - at : at; };
    const T low = order_statistic<T>(voxels, stored_place(index)), high = part > 0 ? order_statistic<T>(voxels, stored_place(next)) : low;
    V difference = value(high) - value(low);
    if constexpr (std::is_integral_v<T>)
        if (scaling.is_identity()) difference = double(__int128_t(high) - __int128_t(low));  // exact for 64-bit integers, too
    return interpolated(value(low), value(high), difference, part);
}

Bound level_in_range(const LevelVoxels& voxels, double percent) {
    return visit_values(voxels.info(), [&]<class T>(std::type_identity<T>, const auto& value) -> Bound {
        const ValueRange<T> range = range_of<T>(voxels);
        if constexpr (std::is_integral_v<T>)
            if (voxels.info().scaling.is_identity() && percent == 100) return range.largest;
        const auto [least, largest] = std::minmax<double>({double(value(range.least)), double(value(range.largest))});
        return percent == 100 ? largest : least + percent / 100 * (largest - least);
    });
}

double bin_level(const LevelVoxels& voxels, std::size_t (*bin_of)(Counts)) {
    const Histogram h = histogram(voxels);
    return h.level(double(bin_of(h.counts)));
}

}  // namespace

Bound level_of(const ThresholdRule& threshold, const LevelVoxels& voxels) {
    using Level = ThresholdRule::Level;
    switch (threshold.level) {
        case Level::otsu: return bin_level(voxels, otsu_bin);
        case Level::triangle: return bin_level(voxels, triangle_bin);
        case Level::yen: return bin_level(voxels, yen_bin);
        case Level::li: return li_level(voxels);
        case Level::percentile:
            return visit_values(voxels.info(), [&]<class T>(std::type_identity<T>, const auto& value) -> Bound {
                return percentile<T>(voxels, value, threshold.percent);
            });
        case Level::range: return level_in_range(voxels, threshold.percent);
        case Level::given: break;
    }
    return threshold.rule.low;
}

ThresholdRule fixed_threshold(const LabelOptions& options) {
    ThresholdRule threshold = threshold_of(options);
    if (options.threshold_from.empty()) return threshold;
    const auto reader = open(choose_volume(options.threshold_from, options.input));
    threshold.rule.low = level_of(threshold, {*reader});
    threshold.level = ThresholdRule::Level::given;
    return threshold;
}

ForegroundRule resolve(const ThresholdRule& threshold, const LevelVoxels& voxels, ForegroundRule::Take take) {
    ForegroundRule rule = threshold.rule;
    rule.slope = voxels.info().scaling.slope;
    rule.intercept = voxels.info().scaling.intercept;
    rule.take = take;
    rule.low = level_of(threshold, voxels);
    return rule;
}

}  // namespace voxcc
