// Rules that divide voxels into foreground and background, for every stored type and scaling. Also the numbers with which values are
// compared, and thresholds that are computed from values.
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

#include <compare>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
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

/// A threshold that is computed from the values of an image.
///   otsu        N. Otsu, A threshold selection method from gray-level histograms, 1979
///   li          C. H. Li, P. K. S. Tam, An iterative algorithm for minimum cross entropy thresholding, 1998
///   triangle    G. W. Zack, W. E. Rogers, S. A. Latt, Automatic measurement of sister chromatid exchange frequency, 1977
///   yen         J. C. Yen, F. J. Chang, S. Chang, A new criterion for automatic multilevel thresholding, 1995
///   percentile  of all values except NaN, with linear interpolation, equal to the result of numpy.nanpercentile
///   range       least + percent / 100 * (largest - least) of the finite values; 100 % is the largest value
// {.method = Method::percentile, .percent = 99.5}
struct LevelRule {
    enum class Method : std::uint8_t { otsu, li, triangle, yen, percentile, range } method = Method::otsu;
    double percent = 0;  // 0..100; of percentile and range
    /// Voxels above the level are foreground; with `range`, also voxels at the level.
    ForegroundRule::Kind kind() const { return method == Method::range ? ForegroundRule::Kind::at_least : ForegroundRule::Kind::above; }
    bool operator==(const LevelRule&) const = default;
};

/// The rule with this name: otsu, li, triangle, yen, p99 (a percentile), 40% (of the range). Empty for other texts. Blanks may stand around
/// the number.
// "p99.5" -> {Method::percentile, 99.5}; "p101" -> nothing
std::optional<LevelRule> level_in(std::string_view name);

/// The inverse of level_in().
std::string name_of(const LevelRule& rule);

/// The values from which a level is computed: all voxels of an image, or the voxels inside a mask.
struct LevelValues {
    /// @param values stored values, aligned for the type
    /// @param inside bit i % 64 of inside[i / 64] is set if values[i] is inside the mask. Null: all values are
    using Part = std::function<void(std::span<const std::byte> values, const std::uint64_t* inside)>;

    ScalarType type = ScalarType::u8;
    double slope = 1, intercept = 0;                       // value = stored * slope + intercept
    std::optional<std::uint64_t> count = {};               // number of values, if it is known without reading them
    std::function<void(const Part&)> each_part = nullptr;  // passes all values, in any order. Is called once per pass
};

/// Thrown if the values do not have a level.
class UndefinedLevel : public std::runtime_error {
public:
    /// @param missing what the values do not have, for example "two different finite values"
    explicit UndefinedLevel(const std::string& missing) : std::runtime_error("no " + missing) {}
};

/// Computes a level, as a scaled value. otsu, triangle and yen are computed as in scikit-image, from one bin per value for integers of a
/// range below 2^24, else from 256 bins of equal width. li is computed as in scikit-image, from all values. Values that are not finite are
/// left out. Levels of float32 values without scaling are computed in float32, others in float64. Percentiles are exact.
/// @throw UndefinedLevel if there are fewer than two different finite values, or if the width of their range is not finite. A percentile
///        needs one value that is a number
// values 1, 2, 3, 10: p50 -> 2.5; 50% -> 5.5
Bound level_of(const LevelRule& rule, const LevelValues& values);

}  // namespace voxcc
