// Rules that divide voxels into foreground and background, for every stored type and scaling. Also the numbers with which values are
// compared, and histograms and order statistics, from which thresholds are computed.
//
// A rule compares the value of a voxel with one or more bounds. The precision of the comparison depends on the stored type:
//   float32, no scaling    values and bounds are float32: a bound is rounded to the nearest float32 (infinity past the largest), as numpy
//                          rounds a Python number that is compared with a float32 array
//   float64, no scaling    values and bounds are float64
//   integers, no scaling   exact: see Bound
//   any type, scaled       double(stored) * slope + intercept, compared with a float64 bound
// The scaling is monotone. The foreground is therefore a small number of intervals of stored values, or all values outside of them. The
// constructor of ForegroundPacker finds the ends of the intervals by bisection, with the arithmetic above. Packing then takes two
// comparisons per voxel and interval.
#pragma once
#include <voxcc/threads.h>
#include <voxcc/volume.h>

#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace voxcc {

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

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

/// A rule for scaled values: value = stored * slope + intercept. `nan` alone decides about NaN, whatever `take` is.
// {.kind = Kind::range, .low = 2, .high = 5}: the values 2, 3.5 and 5 are foreground; 1, 6 and NaN are not
struct ForegroundRule {
    enum class Kind : std::uint8_t {
        nonzero,
        above,         // value > low
        at_least,      // value >= low
        range,         // low <= value <= high
        below,         // value < high
        at_most,       // value <= high
        abs_above,     // |value| > low
        abs_at_least,  // |value| >= low
        one_of,        // value is in `values`
        none_of,       // value is not in `values`
    } kind = Kind::nonzero;
    Bound low = {}, high = {};
    double slope = 1, intercept = 0;
    enum class Take : std::uint8_t { inside, complement } take = Take::inside;       // complement: voxels that do not match, except NaN
    enum class Nan : std::uint8_t { background, foreground } nan = Nan::background;  // foreground: as in scipy, where NaN is not 0
    std::vector<Bound> values = {};                                                  // in any order, also repeatedly
    bool scaled() const { return slope != 1 || intercept != 0; }
    bool operator==(const ForegroundRule&) const = default;
};

/// Packs the foreground of rows of one type by one rule: one bit per voxel.
class ForegroundPacker {
public:
    ForegroundPacker(ScalarType type, const ForegroundRule& rule);
    ScalarType type() const { return type_; }
    /// Sets bit x % 64 of bits[x / 64] if voxel x is foreground, and clears it if not. Clears the bits from nx on. Thread-safe.
    /// @param isa must be supported by the processor: see supports() and best_isa()
    /// @param row must hold nx voxels of type type(), in host memory; may begin at any byte
    /// @param bits must hold (nx + 63) / 64 words
    /// @return the number of NaN voxels in the row
    // row = [0 7 0 2 2] of u8, kind nonzero  ->  bits[0] = 0b11010
    std::int64_t pack(Isa isa, const std::byte* row, std::int64_t nx, std::uint64_t* bits) const {
        return pack_(isa, {row, 0, 1}, nx, bits);
    }
    /// Rows whose first voxels are `stride` bytes apart.
    struct Rows {
        const std::byte* first;
        std::int64_t stride, count;
    };
    /// Packs each row as pack() does; faster than one call of pack() per row if rows are short. Thread-safe.
    /// @param bits must hold rows.count * ((nx + 63) / 64) words
    /// @return the number of NaN voxels in the rows
    std::int64_t pack(Isa isa, const Rows& rows, std::int64_t nx, std::uint64_t* bits) const { return pack_(isa, rows, nx, bits); }

private:
    ScalarType type_;
    std::function<std::int64_t(Isa, const Rows&, std::int64_t, std::uint64_t*)> pack_;
};

/// The range of finite values.
template <class T>
struct ValueRange {
    T least = std::numeric_limits<T>::max(), largest = std::numeric_limits<T>::lowest();  // least > largest: no finite value exists

    /// Extends the range to the finite values among `values`. Thread-safe for different ranges.
    /// @tparam T any scalar type of a volume
    // {2, 5} with the values 3, NaN, 7, infinity  ->  {2, 7}
    void add(std::span<const T> values, Isa isa = default_isa());
};

/// 256 bins of equal width. Edges, and the bin of a value, follow numpy.histogram.
/// @tparam V float or double
template <class V>
class EqualBins {
public:
    static constexpr std::size_t bins = 256;

    /// @param least, largest must be finite and in this order; their difference must be finite
    EqualBins(V least, V largest);
    /// The centre of a bin.
    double centre(std::size_t bin) const { return double((edges_[bin] + edges_[bin + 1]) / 2); }
    const std::array<V, bins + 1>& edges() const { return edges_; }
    /// Adds the number of values per bin to `counts`. Thread-safe for different `counts`.
    /// @param values must be in [least, largest], or must not be finite. Values that are not finite are left out
    /// @param counts must have 256 entries
    void count(std::span<const V> values, std::span<std::uint64_t> counts, Isa isa = default_isa()) const;

private:
    V span_;
    std::array<V, bins + 1> edges_;
};

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
