// Converts a foreground rule to an interval of stored values, and packs rows of voxels into bits.
#include <voxcc/foreground.h>

#include <voxcc/bits.h>
#include "kernels3d/foreground_interval.h"
#include "kernels3d/simd/compare.h"
#include "kernels3d/simd/simd.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace voxcc {
namespace {

using block_runs::Isa;

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

/// The stored values whose scaled value v has from(v) and not past(v).
/// @param from, past if one of them is true for a value, it must be true for all greater values
template <class T, class From, class Past>
ForegroundInterval<T> interval_of(const ForegroundRule& rule, const From& from, const Past& past) {
    // Integers without scaling are compared exactly: a double cannot represent every 64-bit integer.
    const bool scaled = rule.scaled();
    const auto value = [&](T stored) {
        if constexpr (std::is_integral_v<T>)
            if (!scaled) return static_cast<long double>(stored);
        return static_cast<long double>(double(stored) * rule.slope + rule.intercept);
    };
    typename Ordered<T>::Key first, end;
    if (rule.slope >= 0) {
        first = first_that<T>([&](T s) { return from(value(s)); });
        end = first_that<T>([&](T s) { return past(value(s)); });
    } else {
        first = first_that<T>([&](T s) { return !past(value(s)); });
        end = first_that<T>([&](T s) { return !from(value(s)); });
    }
    if (first >= end) return {T(1), T(0)};  // empty
    return {Ordered<T>::value(first), Ordered<T>::value(end - 1)};
}

/// The bound of a rule in the precision of the comparison; see voxcc/foreground.h.
template <class T>
long double compared_bound(double bound, const ForegroundRule& rule) {
    if constexpr (std::is_same_v<T, float>)
        if (!rule.scaled()) return float(bound);
    return bound;
}

}  // namespace

template <class T>
ForegroundInterval<T> foreground_interval(const ForegroundRule& rule) {
    using Side = typename ForegroundInterval<T>::Side;
    const long double low = compared_bound<T>(rule.low, rule), high = compared_bound<T>(rule.high, rule);
    const auto never = [](long double) { return false; };
    ForegroundInterval<T> interval;
    switch (rule.kind) {
        case ForegroundRule::Kind::nonzero:
            interval = interval_of<T>(
                rule, [](long double v) { return v >= 0; }, [](long double v) { return v > 0; });
            interval.side = Side::outside;
            break;
        case ForegroundRule::Kind::above:
            interval = interval_of<T>(
                rule, [=](long double v) { return v > low; }, never);
            break;
        case ForegroundRule::Kind::at_least:
            interval = interval_of<T>(
                rule, [=](long double v) { return v >= low; }, never);
            break;
        case ForegroundRule::Kind::range:
            interval = interval_of<T>(
                rule, [=](long double v) { return v >= low; }, [=](long double v) { return v > high; });
            break;
    }
    interval.nan = rule.nan;
    if (rule.take == ForegroundRule::Take::complement) interval.side = interval.side == Side::inside ? Side::outside : Side::inside;
    return interval;
}

template ForegroundInterval<std::uint8_t> foreground_interval(const ForegroundRule&);
template ForegroundInterval<std::int8_t> foreground_interval(const ForegroundRule&);
template ForegroundInterval<std::uint16_t> foreground_interval(const ForegroundRule&);
template ForegroundInterval<std::int16_t> foreground_interval(const ForegroundRule&);
template ForegroundInterval<std::uint32_t> foreground_interval(const ForegroundRule&);
template ForegroundInterval<std::int32_t> foreground_interval(const ForegroundRule&);
template ForegroundInterval<std::uint64_t> foreground_interval(const ForegroundRule&);
template ForegroundInterval<std::int64_t> foreground_interval(const ForegroundRule&);
template ForegroundInterval<float> foreground_interval(const ForegroundRule&);
template ForegroundInterval<double> foreground_interval(const ForegroundRule&);

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

/// Packs the foreground of a row into bits; see ForegroundPacker::pack().
/// @return the number of NaN voxels
template <class T>
std::int64_t pack_interval(Isa isa, const ForegroundInterval<T>& interval, const std::byte* row, std::int64_t nx, std::uint64_t* bits) {
    using Side = typename ForegroundInterval<T>::Side;
    const T* const v = reinterpret_cast<const T*>(row);
    if constexpr (std::is_same_v<T, std::uint8_t>)
        if (interval.side == Side::outside && interval.low == 0 && interval.high == 0) {
            block_runs::pack_row(isa, v, nx, bits);
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

}  // namespace

ForegroundPacker::ForegroundPacker(ScalarType type, const ForegroundRule& rule) : type_(type) {
    visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        const ForegroundInterval<T> interval = foreground_interval<T>(rule);
        pack_ = [interval](Isa isa, const std::byte* row, std::int64_t nx, std::uint64_t* bits) {
            return pack_interval(isa, interval, row, nx, bits);
        };
    });
}

}  // namespace voxcc
