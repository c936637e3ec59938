#include "src/pipeline/level.h"

#include <voxcc/histogram.h>
#include "src/messages/program_error.h"
#include "src/pipeline/input.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace voxcc {
namespace {

/// Calls f(values) for parts of the volume, in any order, until all values are read. Rewinds the reader before and after.
template <class T, class F>
void each_part(io::VolumeReader& reader, F&& f) {
    reader.rewind();
    for_each_piece(reader, [&](std::span<const std::byte> bytes) {
        f(std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)));
    });
    reader.rewind();
}

/// Calls f(value) for every voxel of the volume, in any order. Rewinds the reader before and after.
template <class T, class F>
void each_value(io::VolumeReader& reader, F&& f) {
    each_part<T>(reader, [&](std::span<const T> values) {
        for (const T value : values) f(value);
    });
}

[[noreturn]] void no_values(const io::VolumeReader& reader, const char* what) {
    throw ProgramError(ErrorKind::invalid_file, reader.info().path, std::string("no ") + what + " in it, so the level is not defined",
                       "give --threshold a number, as in --threshold 100");
}

/// Calls f(type, value), where `type` is the type identity of the stored values, and value(stored) is the scaled value in the precision in
/// which thresholds are compared; see include/voxcc/foreground.h.
template <class F>
auto visit_values(const io::VolumeInfo& info, F&& f) {
    const io::Scaling scaling = info.scaling;
    return visit_scalar(info.type, [&]<class T>(std::type_identity<T> stored) {
        if constexpr (std::is_same_v<T, float>)
            if (scaling.is_identity()) return f(stored, [](float v) { return v; });
        return f(stored, [scaling](T v) { return double(v) * scaling.slope + scaling.intercept; });
    });
}

struct Histogram {
    std::vector<std::uint64_t> counts;
    std::function<double(std::size_t bin)> level;  // scaled value of the bin; must ascend with the bin
};

/// The range of the finite values. @throw Error invalid_file if fewer than two different finite values exist
template <class T>
ValueRange<T> range_of(io::VolumeReader& reader) {
    ValueRange<T> range;
    each_part<T>(reader, [&](std::span<const T> values) { range.add(values); });
    if (!(range.least < range.largest)) no_values(reader, "two different finite values");
    return range;
}

/// One bin per stored value, in ascending order of the scaled values.
template <class T>
Histogram counted_values(io::VolumeReader& reader, const ValueRange<T>& range) {
    const io::Scaling scaling = reader.info().scaling;
    Histogram h;
    h.counts.resize(std::size_t(double(range.largest) - double(range.least)) + 1);
    each_value<T>(reader, [&](T v) { ++h.counts[std::size_t(std::uint64_t(v) - std::uint64_t(range.least))]; });
    const bool descends = scaling.slope < 0;
    if (descends) std::reverse(h.counts.begin(), h.counts.end());
    h.level = [=](std::size_t bin) {
        const double stored = descends ? double(range.largest) - double(bin) : double(range.least) + double(bin);
        return stored * scaling.slope + scaling.intercept;
    };
    return h;
}

/// 256 bins of equal width from the least to the largest value. Edges, centres and the choice of the bin follow numpy.histogram. They are
/// computed in the type of the values: float32 or float64.
template <class T, class Value>
Histogram equal_bins(io::VolumeReader& reader, const ValueRange<T>& range, const Value& value) {
    using V = decltype(value(T{}));
    const auto [least, largest] = std::minmax({value(range.least), value(range.largest)});
    if (!std::isfinite(largest - least)) no_values(reader, "range of values that has a finite width");
    const EqualBins<V> bins(least, largest);
    Histogram h;
    h.counts.resize(bins.bins);
    std::vector<V> scaled;
    each_part<T>(reader, [&](std::span<const T> values) {
        scaled.resize(values.size());
        std::ranges::transform(values, scaled.begin(), value);
        bins.count(scaled, h.counts);
    });
    h.level = [bins](std::size_t bin) { return bins.centre(bin); };
    return h;
}

Histogram histogram(io::VolumeReader& reader) {
    return visit_values(reader.info(), [&]<class T>(std::type_identity<T>, const auto& value) {
        const ValueRange<T> range = range_of<T>(reader);
        if constexpr (std::is_integral_v<T>)
            if (double(range.largest) - double(range.least) < double(1 << 24)) return counted_values<T>(reader, range);
        return equal_bins<T>(reader, range, value);
    });
}

// The last bin of the lower class at Otsu's threshold.
std::size_t otsu_bin(const Histogram& h) {
    double all = 0, sum = 0;
    for (std::size_t i = 0; i < h.counts.size(); ++i) all += double(h.counts[i]), sum += double(h.counts[i]) * double(i);
    double below = 0, sum_below = 0, best = -1;
    std::size_t level = 0;
    for (std::size_t i = 0; i + 1 < h.counts.size(); ++i) {
        below += double(h.counts[i]), sum_below += double(h.counts[i]) * double(i);
        const double above = all - below;
        if (below == 0 || above == 0) continue;
        const double difference = sum_below / below - (sum - sum_below) / above;
        const double between = below * above * difference * difference;
        if (between > best) best = between, level = i;
    }
    return level;
}

// Maps values, except NaN, to unsigned keys in ascending order. The key of -0.0 is just below the key of 0.0, which does not change a
// percentile.
template <class T>
std::uint64_t ordered_key(T v) {
    if constexpr (std::is_floating_point_v<T>) {
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        constexpr Bits sign = Bits{1} << (sizeof(T) * 8 - 1);
        const Bits b = std::bit_cast<Bits>(v);
        return b & sign ? Bits(~b) : Bits(b | sign);
    } else {
        using Bits = std::make_unsigned_t<T>;
        return Bits(Bits(v) - Bits(std::numeric_limits<T>::lowest()));
    }
}
template <class T>
T value_of_key(std::uint64_t key) {
    if constexpr (std::is_floating_point_v<T>) {
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        constexpr Bits sign = Bits{1} << (sizeof(T) * 8 - 1);
        const Bits k = Bits(key);
        return std::bit_cast<T>(k & sign ? Bits(k & ~sign) : Bits(~k));
    } else {
        using Bits = std::make_unsigned_t<T>;
        return T(Bits(key) + Bits(std::numeric_limits<T>::lowest()));
    }
}

// The k-th smallest stored value except NaN (k is 0-based). Each pass over the volume finds 16 bits of its key.
template <class T>
T order_statistic(io::VolumeReader& reader, std::uint64_t k) {
    constexpr int bits = sizeof(T) * 8, digit = std::min(bits, 16);
    std::uint64_t prefix = 0;
    for (int shift = bits - digit; shift >= 0; shift -= digit) {
        std::vector<std::uint64_t> counts(std::size_t{1} << digit);
        each_value<T>(reader, [&](T v) {
            if (v != v) return;
            const std::uint64_t key = ordered_key(v);
            if (shift + digit < 64 && key >> (shift + digit) != prefix) return;
            ++counts[key >> shift & ((std::uint64_t{1} << digit) - 1)];
        });
        std::size_t at = 0;
        while (k >= counts[at]) k -= counts[at++];
        prefix = prefix << digit | at;
    }
    return value_of_key<T>(prefix);
}

template <class T>
std::uint64_t count_numbers(io::VolumeReader& reader) {
    std::uint64_t n = 0;
    if constexpr (std::is_floating_point_v<T>) each_value<T>(reader, [&](T v) { n += v == v; });
    else n = std::uint64_t(reader.info().extent.voxels());
    if (n == 0) no_values(reader, "value that is a number");
    return n;
}

/// Linear interpolation as in numpy.percentile, which starts from the nearer end.
/// @param difference high - low
/// @param part fraction of the way from low to high, in [0, 1)
template <class V>
V interpolated(V low, V high, V difference, double part) {
    if (part == 0 || low == high || std::isinf(low)) return low;
    if (std::isinf(high)) return high;
    return part >= 0.5 ? high - difference * V(1 - part) : low + difference * V(part);
}

template <class T, class Value>
double percentile(io::VolumeReader& reader, const Value& value, double p) {
    using V = decltype(value(T{}));
    const io::Scaling scaling = reader.info().scaling;
    const std::uint64_t n = count_numbers<T>(reader), last = n - 1;
    const double place = double(last) * (p / 100);  // fractional index into the scaled values in ascending order
    const std::uint64_t k = std::min(std::uint64_t(place), last), next = std::min(k + 1, last);
    const double part = place - double(k);
    const auto scaled_place = [&](std::uint64_t at) { return scaling.slope < 0 ? last - at : at; };
    const T low = order_statistic<T>(reader, scaled_place(k)), high = part > 0 ? order_statistic<T>(reader, scaled_place(next)) : low;
    V difference = value(high) - value(low);
    if constexpr (std::is_integral_v<T>)
        if (scaling.is_identity()) difference = double(__int128_t(high) - __int128_t(low));  // exact for 64-bit integers, too
    return interpolated(value(low), value(high), difference, part);
}

}  // namespace

double otsu_level(io::VolumeReader& reader) {
    const Histogram h = histogram(reader);
    return h.level(otsu_bin(h));
}

double percentile_level(io::VolumeReader& reader, double p) {
    return visit_values(reader.info(), [&]<class T>(std::type_identity<T>, const auto& value) { return percentile<T>(reader, value, p); });
}

ForegroundRule resolve(const ThresholdRule& rule, io::VolumeReader& reader, ForegroundRule::Take take) {
    ForegroundRule r;
    r.slope = reader.info().scaling.slope;
    r.intercept = reader.info().scaling.intercept;
    r.take = take;
    r.low = rule.low, r.high = rule.high;
    switch (rule.kind) {
        case ThresholdRule::Kind::nonzero: r.kind = ForegroundRule::Kind::nonzero; break;
        case ThresholdRule::Kind::above: r.kind = ForegroundRule::Kind::above; break;
        case ThresholdRule::Kind::at_least: r.kind = ForegroundRule::Kind::at_least; break;
        case ThresholdRule::Kind::range: r.kind = ForegroundRule::Kind::range; break;
        case ThresholdRule::Kind::otsu:
            r.kind = ForegroundRule::Kind::above;
            r.low = otsu_level(reader);
            break;
        case ThresholdRule::Kind::percentile:
            r.kind = ForegroundRule::Kind::above;
            r.low = percentile_level(reader, rule.percentile);
            break;
    }
    return r;
}

}  // namespace voxcc
