// Converts a foreground rule to intervals of stored values, and packs rows of voxels into bits.
#include <voxcc/foreground.h>

#include <voxcc/source.h>
#include "kernels3d/base/foreground_interval.h"
#include "kernels3d/simd/compare.h"
#include "kernels3d/simd/simd.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace voxcc {
namespace {

/// Maps the values of T to consecutive integer keys in ascending order. Bisection over keys therefore also works for floats. NaN has no
/// key.
template <class T>
struct Ordered {
    using Key = std::conditional_t<sizeof(T) == 8, __int128_t, std::int64_t>;
    static Key lowest() {
        return key(std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest());
    }
    static Key highest() { return key(std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max()); }
    static Key key(T v) {
        if constexpr (std::is_floating_point_v<T>) {
            using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
            constexpr Bits sign = Bits{1} << (sizeof(T) * 8 - 1);
            const Bits b = std::bit_cast<Bits>(v);
            return b & sign ? -Key(b & ~sign) : Key(b);
        } else {
            return Key(v);
        }
    }
    static T value(Key k) {
        if constexpr (std::is_floating_point_v<T>) {
            using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
            const T magnitude = std::bit_cast<T>(Bits(k < 0 ? -k : k));
            return k < 0 ? -magnitude : magnitude;
        } else {
            return T(k);
        }
    }
};

/// The key of the smallest value of T for which holds(value) is true; highest() + 1 if no such value exists. If `holds` is true for a
/// value, it must be true for all greater values.
template <class T, class Holds>
typename Ordered<T>::Key first_that(const Holds& holds) {
    auto low = Ordered<T>::lowest(), end = Ordered<T>::highest() + 1;
    while (low < end) {
        const auto middle = low + (end - low) / 2;
        if (holds(Ordered<T>::value(middle))) end = middle;
        else low = middle + 1;
    }
    return low;
}

/// Stored values as a range of keys; empty if first >= end.
template <class T>
struct KeyRange {
    typename Ordered<T>::Key first, end;
};

/// The stored values whose scaled value v has from(v) and not past(v).
/// @param from, past if one of them is true for a value, it must be true for all greater values
template <class T, class From, class Past>
KeyRange<T> keys_between(const ForegroundRule& rule, const From& from, const Past& past) {
    // Integers without scaling are compared exactly: a double cannot represent every 64-bit integer.
    if constexpr (std::is_integral_v<T>)
        if (!rule.scaled()) return {first_that<T>(from), first_that<T>(past)};
    const auto value = [&](T stored) { return double(stored) * rule.slope + rule.intercept; };
    if (rule.slope >= 0) return {first_that<T>([&](T s) { return from(value(s)); }), first_that<T>([&](T s) { return past(value(s)); })};
    return {first_that<T>([&](T s) { return !past(value(s)); }), first_that<T>([&](T s) { return !from(value(s)); })};
}

/// A bound in the precision of the comparison; see voxcc/foreground.h.
template <class T>
Bound compared_bound(const Bound& bound, const ForegroundRule& rule) {
    if constexpr (std::is_same_v<T, float>)
        if (!rule.scaled()) return float(bound.real);
    return bound;
}

/// The stored values that a rule names: the foreground of most kinds, the background of nonzero, abs_above, abs_at_least and none_of.
template <class T>
std::vector<KeyRange<T>> named_keys(const ForegroundRule& rule) {
    using Kind = ForegroundRule::Kind;
    const Bound low = compared_bound<T>(rule.low, rule), high = compared_bound<T>(rule.high, rule);
    const auto always = [](auto) { return true; };
    const auto never = [](auto) { return false; };
    const auto from = [](const Bound& bound) { return [bound](auto v) { return reaches(v, bound); }; };
    const auto past = [](const Bound& bound) { return [bound](auto v) { return exceeds(v, bound); }; };
    switch (rule.kind) {
        case Kind::nonzero: return {keys_between<T>(rule, from(0), past(0))};
        case Kind::above: return {keys_between<T>(rule, past(low), never)};
        case Kind::at_least: return {keys_between<T>(rule, from(low), never)};
        case Kind::range: return {keys_between<T>(rule, from(low), past(high))};
        case Kind::below: return {keys_between<T>(rule, always, from(high))};
        case Kind::at_most: return {keys_between<T>(rule, always, past(high))};
        case Kind::abs_above: return {keys_between<T>(rule, from(-low), past(low))};
        case Kind::abs_at_least: return {keys_between<T>(rule, past(-low), from(low))};
        case Kind::one_of:
        case Kind::none_of: break;
    }
    std::vector<KeyRange<T>> keys;
    for (const Bound& v : rule.values) {
        const Bound bound = compared_bound<T>(v, rule);
        keys.push_back(keys_between<T>(rule, from(bound), past(bound)));
    }
    return keys;
}

/// Removes empty ranges and joins ranges that touch. The result is in ascending order.
template <class T>
std::vector<KeyRange<T>> joined(std::vector<KeyRange<T>> keys) {
    std::erase_if(keys, [](const KeyRange<T>& k) { return k.first >= k.end; });
    std::ranges::sort(keys, {}, &KeyRange<T>::first);
    std::vector<KeyRange<T>> result;
    for (const KeyRange<T>& k : keys) {
        if (result.empty() || k.first > result.back().end) result.push_back(k);
        else result.back().end = std::max(result.back().end, k.end);
    }
    return result;
}

bool names_background(ForegroundRule::Kind kind) {
    using Kind = ForegroundRule::Kind;
    return kind == Kind::nonzero || kind == Kind::abs_above || kind == Kind::abs_at_least || kind == Kind::none_of;
}

}  // namespace

template <class T>
ForegroundIntervals<T> foreground_intervals(const ForegroundRule& rule) {
    using Interval = ForegroundInterval<T>;
    const bool takes_named = names_background(rule.kind) == (rule.take == ForegroundRule::Take::complement);
    const auto side = takes_named ? Interval::Side::inside : Interval::Side::outside;
    ForegroundIntervals<T> result{{}, takes_named ? Combine::any : Combine::all};
    for (const KeyRange<T>& k : joined<T>(named_keys<T>(rule)))
        result.intervals.push_back({Ordered<T>::value(k.first), Ordered<T>::value(k.end - 1), side, rule.nan});
    if (result.intervals.empty()) result.intervals.push_back({T(1), T(0), side, rule.nan});
    return result;
}

template ForegroundIntervals<std::uint8_t> foreground_intervals(const ForegroundRule&);
template ForegroundIntervals<std::int8_t> foreground_intervals(const ForegroundRule&);
template ForegroundIntervals<std::uint16_t> foreground_intervals(const ForegroundRule&);
template ForegroundIntervals<std::int16_t> foreground_intervals(const ForegroundRule&);
template ForegroundIntervals<std::uint32_t> foreground_intervals(const ForegroundRule&);
template ForegroundIntervals<std::int32_t> foreground_intervals(const ForegroundRule&);
template ForegroundIntervals<std::uint64_t> foreground_intervals(const ForegroundRule&);
template ForegroundIntervals<std::int64_t> foreground_intervals(const ForegroundRule&);
template ForegroundIntervals<float> foreground_intervals(const ForegroundRule&);
template ForegroundIntervals<double> foreground_intervals(const ForegroundRule&);

namespace {

/// Inverts the bits of a row of nx voxels. Bits past nx stay zero.
void complement(std::int64_t nx, std::uint64_t* bits) {
    const std::int64_t words = words_of(nx);
    for (std::int64_t w = 0; w < words; ++w) bits[w] = ~bits[w];
    if (nx % 64) bits[words - 1] &= ~std::uint64_t{0} >> (64 - nx % 64);
}

/// Sets or clears the bits of NaN voxels in a row.
template <class T>
void set_nan(Isa isa, const T* v, std::int64_t nx, ForegroundRule::Nan nan, std::uint64_t* bits) {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    constexpr std::int64_t piece = 4096;  // voxels; few enough to stay in the first-level cache
    std::uint64_t numbers[piece / 64];
    for (std::int64_t x = 0; x < nx; x += piece) {
        const std::int64_t n = std::min(piece, nx - x), words = words_of(n);
        block_runs::within_row(isa, v + x, -infinity, infinity, n, numbers);
        if (nan == ForegroundRule::Nan::foreground) complement(n, numbers);
        for (std::int64_t w = 0; w < words; ++w) {
            std::uint64_t& word = bits[x / 64 + w];
            word = nan == ForegroundRule::Nan::foreground ? word | numbers[w] : word & numbers[w];
        }
    }
}

template <class T>
bool is_nonzero(const ForegroundInterval<T>& interval) {
    return interval.side == ForegroundInterval<T>::Side::outside && interval.low == 0 && interval.high == 0;
}

/// Sets bit x where v[x] is in the interval; see ForegroundPacker::pack().
/// @return the number of NaN voxels
template <class T>
std::int64_t pack_interval(Isa isa, const ForegroundInterval<T>& interval, const T* v, std::int64_t nx, std::uint64_t* bits) {
    using Side = typename ForegroundInterval<T>::Side;
    if constexpr (std::is_same_v<T, std::uint8_t>)
        if (is_nonzero(interval)) {
            block_runs::pack_rows(isa, {v, 0, 1}, nx, bits);
            return 0;
        }
    block_runs::within_row(isa, v, interval.low, interval.high, nx, bits);
    if (interval.side == Side::outside) complement(nx, bits);
    if constexpr (std::is_floating_point_v<T>) {
        const std::int64_t nan = block_runs::count_nan(isa, v, nx);
        const bool taken = interval.side == Side::outside;  // a comparison with NaN is false, so NaN is outside every interval
        if (nan > 0 && taken != (interval.nan == ForegroundRule::Nan::foreground)) set_nan(isa, v, nx, interval.nan, bits);
        return nan;
    } else {
        return 0;
    }
}

/// Packs the foreground of a row into bits; see ForegroundPacker::pack().
/// @return the number of NaN voxels
template <class T>
std::int64_t pack_intervals(Isa isa, const ForegroundIntervals<T>& set, const T* v, std::int64_t nx, std::uint64_t* bits) {
    const std::int64_t nan = pack_interval(isa, set.intervals[0], v, nx, bits);
    constexpr std::int64_t piece = 4096;  // voxels; few enough to stay in the first-level cache
    std::uint64_t more[piece / 64];
    for (std::size_t k = 1; k < set.intervals.size(); ++k)
        for (std::int64_t x = 0; x < nx; x += piece) {
            const std::int64_t n = std::min(piece, nx - x);
            pack_interval(isa, set.intervals[k], v + x, n, more);
            for (std::int64_t w = 0; w < words_of(n); ++w) {
                std::uint64_t& word = bits[x / 64 + w];
                word = set.combine == Combine::any ? word | more[w] : word & more[w];
            }
        }
    return nan;
}

/// Packs the foreground of several rows; see ForegroundPacker::pack().
/// @return the number of NaN voxels
template <class T>
std::int64_t pack_all(Isa isa, const ForegroundIntervals<T>& set, const ForegroundPacker::Rows& rows, std::int64_t nx,
                      std::uint64_t* bits) {
    if constexpr (std::is_same_v<T, std::uint8_t>)
        if (set.intervals.size() == 1 && is_nonzero(set.intervals[0])) {
            block_runs::pack_rows(isa, {reinterpret_cast<const T*>(rows.first), rows.stride, rows.count}, nx, bits);
            return 0;
        }
    const std::int64_t words = words_of(nx);
    std::int64_t nan = 0;
    for (std::int64_t i = 0; i < rows.count; ++i)
        nan += pack_intervals(isa, set, reinterpret_cast<const T*>(rows.first + i * rows.stride), nx, bits + i * words);
    return nan;
}

}  // namespace

ForegroundPacker::ForegroundPacker(ScalarType type, const ForegroundRule& rule) : type_(type) {
    visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        pack_ = [set = foreground_intervals<T>(rule)](Isa isa, const Rows& rows, std::int64_t nx, std::uint64_t* bits) {
            return pack_all(isa, set, rows, nx, bits);
        };
    });
}

}  // namespace voxcc
