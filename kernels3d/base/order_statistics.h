// The order of values, and their percentiles.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace voxcc {

/// The unsigned type of the keys of T: as wide as T.
template <class T>
using KeyOf =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// Maps values, except NaN, to unsigned keys in ascending order. The key of -0.0 is the key below the key of 0.0.
// int16_t: -32768 -> 0, 0 -> 32768
template <class T>
constexpr KeyOf<T> ordered_key(T v) {
    using Key = KeyOf<T>;
    if constexpr (std::is_floating_point_v<T>) {
        constexpr Key sign = Key{1} << (sizeof(T) * 8 - 1);
        const Key b = std::bit_cast<Key>(v);
        return b & sign ? Key(~b) : Key(b | sign);
    } else {
        return Key(Key(v) - Key(std::numeric_limits<T>::lowest()));
    }
}

/// The inverse of ordered_key().
template <class T>
constexpr T value_of_key(KeyOf<T> key) {
    using Key = KeyOf<T>;
    if constexpr (std::is_floating_point_v<T>) {
        constexpr Key sign = Key{1} << (sizeof(T) * 8 - 1);
        return std::bit_cast<T>(key & sign ? Key(key & ~sign) : Key(~key));
    } else {
        return T(Key(key + Key(std::numeric_limits<T>::lowest())));
    }
}

/// The place of a percentile in the ascending values: between the values at `index` and `next`, `part` of the way.
struct PercentilePlace {
    std::uint64_t index = 0, next = 0;  // 0-based
    double part = 0;                    // in [0, 1)
};

/// @param n number of values, at least 1
/// @param p in [0, 100]
// 4 values, p 50  ->  {1, 2, 0.5}
inline PercentilePlace percentile_place(std::uint64_t n, double p) {
    const std::uint64_t last = n - 1;
    const double place = double(last) * (p / 100);
    const std::uint64_t index = place < double(last) ? std::uint64_t(place) : last;
    return {index, index < last ? index + 1 : last, place - double(index)};
}

/// Linear interpolation as in numpy.percentile, which starts from the nearer end.
/// @param difference high - low
/// @param part fraction of the way from low to high, in [0, 1)
// 1, 3, 2, 0.25  ->  1.5
template <class V>
V interpolated(V low, V high, V difference, double part) {
    if (part == 0 || low == high || std::isinf(low)) return low;
    if (std::isinf(high)) return high;
    return part >= 0.5 ? high - difference * V(1 - part) : low + difference * V(part);
}

}  // namespace voxcc
