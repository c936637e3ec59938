#include "kernels3d/levels/histogram.h"

#include "kernels3d/levels/each_value.h"
#include "kernels3d/simd/equal_bins.h"

#include <algorithm>

namespace voxcc {
namespace {

/// One bin per stored value, in ascending order of the scaled values.
template <class T>
Histogram counted_values(const LevelValues& values, const ValueRange<T>& range) {
    Histogram h;
    h.counts.resize(std::size_t(double(range.largest) - double(range.least)) + 1);
    each_value<T>(values, [&](T v) { ++h.counts[std::size_t(std::uint64_t(v) - std::uint64_t(range.least))]; });
    const bool descends = values.slope < 0;
    if (descends) std::reverse(h.counts.begin(), h.counts.end());
    h.level = [=, slope = values.slope, intercept = values.intercept](double bin) {
        const double stored = descends ? double(range.largest) - bin : double(range.least) + bin;
        return stored * slope + intercept;
    };
    return h;
}

/// 256 bins of equal width from the least to the largest value. Edges, centres and the choice of the bin follow numpy.histogram. They are
/// computed in the type of the values: float32 or float64.
template <class T, class Value>
Histogram equal_bins(const LevelValues& values, const ValueRange<T>& range, const Value& value) {
    using V = decltype(value(T{}));
    const auto [least, largest] = scaled_ends(range, value);
    const EqualBins<V> bins(least, largest);
    Histogram h;
    h.counts.resize(bins.bins);
    std::vector<V> scaled;
    each_part<T>(values, [&](std::span<const T> part) {
        scaled.resize(part.size());
        std::ranges::transform(part, scaled.begin(), value);
        bins.count(scaled, h.counts);
    });
    h.level = [bins](double bin) { return bins.centre(std::size_t(bin)); };
    return h;
}

}  // namespace

Histogram histogram(const LevelValues& values) {
    return visit_values(values, [&]<class T>(std::type_identity<T>, const auto& value) {
        const ValueRange<T> range = range_of<T>(values);
        if constexpr (std::is_integral_v<T>)
            if (counts_each_value(range)) return counted_values<T>(values, range);
        return equal_bins<T>(values, range, value);
    });
}

}  // namespace voxcc
