// A number that is compared with the values of voxels: a threshold, or the largest difference that connects voxels.
#pragma once
#include <voxcc/int128.h>

#include <compare>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace voxcc {

/// A real number in two forms. Integers of up to 64 bits are compared with `whole` and `has_fraction`, which is exact. Floats and scaled
/// values are compared with `real`, which is rounded. The order of bounds is the order of the numbers.
// 2.5                 -> {.whole = 2, .has_fraction = true, .real = 2.5}
// -0.25               -> {.whole = -1, .has_fraction = true, .real = -0.25}
// 9007199254740993.5  -> {.whole = 9007199254740993, .has_fraction = true, .real = 9007199254740994}
// 1e30                -> {.whole = 2^65, .has_fraction = false, .real = 1e30}
struct Bound {
    /// The largest absolute value of `whole`. It is above all differences of two integers of 64 bits.
    static constexpr int128 most = int128{1} << 65;

    int128 whole = 0;           // the largest integer that is not above the number, or -most or most for numbers beyond
    bool has_fraction = false;  // whether the number is above `whole`
    double real = 0;            // the nearest double; not -0

    constexpr Bound() noexcept = default;
    constexpr Bound(int128 of_integers, bool fraction, double of_reals) noexcept
        : whole(of_integers < -most  ? -most
                : of_integers > most ? most
                                     : of_integers),
          has_fraction(fraction && whole == of_integers),
          real(of_reals + 0.0) {}
    /// Every number converts to the bound of the same value. NaN becomes a bound that no value reaches.
    template <class Number>
    requires std::is_integral_v<Number>
    constexpr Bound(Number number) noexcept : Bound(int128(number), false, double(number)) {}
    constexpr Bound(double number) noexcept : Bound(static_cast<long double>(number)) {}
    constexpr Bound(long double number) noexcept : real(double(number) + 0.0) {
        constexpr long double limit = most;
        if (!(number < limit)) whole = most;
        else if (number < -limit) whole = -most;
        else {
            whole = int128(number);
            if (static_cast<long double>(whole) > number) --whole;
            has_fraction = static_cast<long double>(whole) != number;
        }
    }
    /// A number with the same bound: exact for integers of 64 bits, and for numbers between two of them.
    constexpr long double number() const {
        if (whole == most || whole == -most) return real;
        const long double least = static_cast<long double>(whole);
        if (!has_fraction) return least;
        return real > least && real < least + 1 ? static_cast<long double>(real) : least + 0.5L;
    }
    constexpr Bound operator-() const { return {has_fraction ? -whole - 1 : -whole, has_fraction, -real}; }
    constexpr auto operator<=>(const Bound&) const = default;
    constexpr bool operator==(const Bound&) const = default;
};

/// Whether a value is at least the bound. Integers are compared exactly, floats with bound.real.
/// @tparam Value an integer type of up to 128 bits, or double
template <class Value>
constexpr bool reaches(Value value, const Bound& bound) {
    if constexpr (std::is_floating_point_v<Value>) return value >= bound.real;
    else return bound.has_fraction ? int128(value) > bound.whole : int128(value) >= bound.whole;
}

/// Whether a value is above the bound. See reaches().
template <class Value>
constexpr bool exceeds(Value value, const Bound& bound) {
    if constexpr (std::is_floating_point_v<Value>) return value > bound.real;
    else return int128(value) > bound.whole;
}

/// Reads a decimal number, which must be the complete text. Its value is exact, whatever the number of digits.
/// @return nothing if the text is not a number, or if its absolute value is too large or too small for a double. "nan" is a number
// "9007199254740993.0" -> {.whole = 9007199254740993, .has_fraction = false, .real = 9007199254740992}; "5mm" and " 5" -> nothing
std::optional<Bound> bound_in(std::string_view text);

/// A short text that bound_in() reads as the same bound. The bound must not be NaN.
// Bound(0.5) -> "0.5"; bound_in("9007199254740993.25") -> "9007199254740993.5"
std::string text_of(const Bound& bound);

}  // namespace voxcc
