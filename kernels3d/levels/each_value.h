// Loops over the values from which a level is computed.
#pragma once
#include <voxcc/foreground.h>

#include <limits>
#include <type_traits>
#include <vector>

namespace voxcc {

/// Calls f(values) for parts of the values, in any order, until all values are read.
template <class T, class F>
void each_part(const LevelValues& values, F&& f) {
    std::vector<T> inside;
    values.each_part([&](std::span<const std::byte> bytes, const std::uint64_t* bits) {
        const std::span part(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
        if (!bits) return f(part);
        inside.clear();
        for (std::size_t i = 0; i < part.size(); ++i)
            if (bits[i / 64] >> (i % 64) & 1) inside.push_back(part[i]);
        f(std::span<const T>(inside));
    });
}

/// Calls f(value) for every value, in any order.
template <class T, class F>
void each_value(const LevelValues& values, F&& f) {
    each_part<T>(values, [&](std::span<const T> part) {
        for (const T value : part) f(value);
    });
}

/// Calls f(type, value), where `type` is the type identity of the stored values, and value(stored) is the scaled value in the precision in
/// which thresholds are compared; see include/voxcc/foreground.h.
template <class F>
auto visit_values(const LevelValues& values, F&& f) {
    const double slope = values.slope, intercept = values.intercept;
    return visit_scalar(values.type, [&]<class T>(std::type_identity<T> stored) {
        if constexpr (std::is_same_v<T, float>)
            if (slope == 1 && intercept == 0) return f(stored, [](float v) { return v; });
        return f(stored, [slope, intercept](T v) { return double(v) * slope + intercept; });
    });
}

/// The range of the finite values. @throw UndefinedLevel if fewer than two different finite values exist
template <class T>
ValueRange<T> range_of(const LevelValues& values) {
    ValueRange<T> range;
    each_part<T>(values, [&](std::span<const T> part) { range.add(part); });
    if (!(range.least < range.largest)) throw UndefinedLevel("two different finite values");
    return range;
}

/// The scaled ends of a range, in ascending order. @throw UndefinedLevel if the width of the range is not finite
template <class T, class Value>
auto scaled_ends(const ValueRange<T>& range, const Value& value) {
    using V = decltype(value(T{}));
    struct Ends {
        V least, largest;
    };
    const V a = value(range.least), b = value(range.largest);
    const Ends ends{a < b ? a : b, a < b ? b : a};
    const V width = ends.largest - ends.least;
    if (!(width <= std::numeric_limits<V>::max())) throw UndefinedLevel("range of values that has a finite width");
    return ends;
}

/// Whether a histogram has one bin per stored value.
template <class T>
bool counts_each_value(const ValueRange<T>& range) {
    return std::is_integral_v<T> && double(range.largest) - double(range.least) < double(1 << 24);
}

}  // namespace voxcc
