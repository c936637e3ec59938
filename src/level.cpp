#include "src/level.h"

#include "src/input.h"

#include <bit>
#include <cmath>

namespace voxcc {
namespace {

/// Calls f(T) for every voxel of the volume, in any order; leaves the reader rewound.
template <class T, class F>
void each_value(io::VolumeReader& reader, F&& f) {
    reader.rewind();
    for_each_piece(reader, [&](std::span<const std::byte> bytes) {
        const T* const v = reinterpret_cast<const T*>(bytes.data());
        for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) f(v[i]);
    });
    reader.rewind();
}

[[noreturn]] void no_values(const io::VolumeReader& reader, const char* what) {
    throw Error(ExitCode::bad_data, reader.info().path, std::string("no ") + what + " in it, so the level is not defined",
                "give --threshold a number");
}

struct Histogram {
    std::vector<std::uint64_t> counts;
    double first = 0, step = 1;  // bin i stands for the stored value first + i * step
};

template <class T>
Histogram histogram(io::VolumeReader& reader) {
    T least = std::numeric_limits<T>::max(), largest = std::numeric_limits<T>::lowest();
    each_value<T>(reader, [&](T v) {
        if constexpr (std::is_floating_point_v<T>)
            if (!std::isfinite(v)) return;
        least = std::min(least, v), largest = std::max(largest, v);
    });
    if (!(least < largest)) no_values(reader, "two different finite values");
    Histogram h;
    const double span = double(largest) - double(least);
    if (std::is_integral_v<T> && span < double(1 << 24)) {
        h.counts.resize(std::size_t(span) + 1);
        h.first = double(least);
        each_value<T>(reader, [&](T v) { ++h.counts[std::size_t(std::uint64_t(v) - std::uint64_t(least))]; });
        return h;
    }
    constexpr int bins = 256;
    h.counts.resize(bins);
    h.step = span / bins;
    h.first = double(least) + h.step / 2;
    each_value<T>(reader, [&](T v) {
        if constexpr (std::is_floating_point_v<T>)
            if (!std::isfinite(v)) return;
        ++h.counts[std::size_t(std::min(bins - 1.0, (double(v) - double(least)) / h.step))];
    });
    return h;
}

// The bin that ends the lower class; bins stand for first + i * step.
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

// Values but NaN as unsigned keys in ascending order; -0.0 comes just below 0.0, which no percentile can tell.
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

// The k-th smallest value (from 0), 16 bits a pass.
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
double stored_percentile(io::VolumeReader& reader, double p) {
    std::uint64_t n = 0;
    if constexpr (std::is_floating_point_v<T>) each_value<T>(reader, [&](T v) { n += v == v; });
    else n = std::uint64_t(reader.info().extent.voxels());
    if (n == 0) no_values(reader, "value that is a number");
    const double place = double(n - 1) * p / 100;
    const std::uint64_t k = std::min(std::uint64_t(place), n - 1);
    const double part = place - double(k), low = double(order_statistic<T>(reader, k));
    return part > 0 && k + 1 < n ? low + part * (double(order_statistic<T>(reader, k + 1)) - low) : low;
}

}  // namespace

double otsu_level(io::VolumeReader& reader) {
    const io::Scaling& scaling = reader.info().scaling;
    Histogram h = visit_scalar(reader.info().type, [&]<class T>(std::type_identity<T>) { return histogram<T>(reader); });
    if (scaling.slope < 0) {  // the scaled values ascend the other way
        h.first += h.step * double(h.counts.size() - 1);
        h.step = -h.step;
        std::reverse(h.counts.begin(), h.counts.end());
    }
    return (h.first + h.step * double(otsu_bin(h))) * scaling.slope + scaling.intercept;
}

double percentile_level(io::VolumeReader& reader, double p) {
    const io::Scaling& scaling = reader.info().scaling;
    const double stored = scaling.slope < 0 ? 100 - p : p;
    const double level =
        visit_scalar(reader.info().type, [&]<class T>(std::type_identity<T>) { return stored_percentile<T>(reader, stored); });
    return level * scaling.slope + scaling.intercept;
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
