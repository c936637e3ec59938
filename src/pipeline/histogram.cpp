#include "src/pipeline/histogram.h"

#include "src/pipeline/each_value.h"

#include <algorithm>
#include <cmath>

namespace voxcc {
namespace {

/// One bin per stored value, in ascending order of the scaled values.
template <class T>
Histogram counted_values(const LevelVoxels& voxels, const ValueRange<T>& range) {
    const io::Scaling scaling = voxels.info().scaling;
    Histogram h;
    h.counts.resize(std::size_t(double(range.largest) - double(range.least)) + 1);
    each_value<T>(voxels, [&](T v) { ++h.counts[std::size_t(std::uint64_t(v) - std::uint64_t(range.least))]; });
    const bool descends = scaling.slope < 0;
    if (descends) std::reverse(h.counts.begin(), h.counts.end());
    h.level = [=](double bin) {
        const double stored = descends ? double(range.largest) - bin : double(range.least) + bin;
        return stored * scaling.slope + scaling.intercept;
    };
    return h;
}

/// 256 bins of equal width from the least to the largest value. Edges, centres and the choice of the bin follow numpy.histogram. They are
/// computed in the type of the values: float32 or float64.
template <class T, class Value>
Histogram equal_bins(const LevelVoxels& voxels, const ValueRange<T>& range, const Value& value) {
    using V = decltype(value(T{}));
    const auto [least, largest] = std::minmax({value(range.least), value(range.largest)});
    if (!std::isfinite(largest - least)) no_values(voxels, "range of values that has a finite width");
    const EqualBins<V> bins(least, largest);
    Histogram h;
    h.counts.resize(bins.bins);
    std::vector<V> scaled;
    each_part<T>(voxels, [&](std::span<const T> values) {
        scaled.resize(values.size());
        std::ranges::transform(values, scaled.begin(), value);
        bins.count(scaled, h.counts);
    });
    h.level = [bins](double bin) { return bins.centre(std::size_t(bin)); };
    return h;
}

}  // namespace

Histogram histogram(const LevelVoxels& voxels) {
    return visit_values(voxels.info(), [&]<class T>(std::type_identity<T>, const auto& value) {
        const ValueRange<T> range = range_of<T>(voxels);
        if constexpr (std::is_integral_v<T>)
            if (counts_each_value(range)) return counted_values<T>(voxels, range);
        return equal_bins<T>(voxels, range, value);
    });
}

}  // namespace voxcc
