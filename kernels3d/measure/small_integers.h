// Values of a row as small integers with one unit, and their sums.
#pragma once
#include <voxcc/measure.h>
#include <voxcc/threads.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace voxcc {

/// Sums of values of a stretch, for which v, x and the number of a value are all integers.
struct SmallSums {
    std::int64_t v;   // of the values M
    std::int64_t vx;  // of their products with the number of the value in the stretch
    uint128 vv;
    std::int64_t least, largest;
};

/// Values of a part of a row as integers M 2^unit, where this is exact and |M| < 2^40. Made with vectors.
class SmallIntegers {
public:
    static constexpr std::size_t most = 1024;  // values of a part
    /// @param values of type T, at most `most`; may begin at any byte
    /// @tparam T float, double, std::int64_t or std::uint64_t. 64-bit integers are rounded to double
    template <class T>
    void set(Isa isa, std::span<const std::byte> values, std::int32_t unit);
    /// The sums of the values `first` to end - 1, at least one. Empty if one of them is not a small integer.
    // values {1.5, 0, -3, 1e30}, unit -1  ->  sums(0, 3) = {v -3, vx -12, vv 45, least -6, largest 3}; sums(2, 4) is empty
    std::optional<SmallSums> sums(std::size_t first, std::size_t end) const {
        std::uint64_t v = 0, partial = 0;  // partial: the sum of v after each value
        uint128 vv = 0;
        std::int64_t least = values_[first], largest = least;
        for (std::size_t i = first; i < end; ++i) {
            const std::int64_t m = values_[i];
            v += std::uint64_t(m), partial += v;
            vv += uint128(int128(m) * m);
            least = m < least ? m : least, largest = m > largest ? m : largest;
        }
        if (least == none) return std::nullopt;
        return SmallSums{std::int64_t(v), std::int64_t((end - first) * v - partial), vv, least, largest};
    }

private:
    static constexpr std::int64_t none = INT64_MIN;  // in place of a value that is not a small integer
    alignas(64) std::array<std::int64_t, most> values_;
};

/// A unit with which values up to `largest` are small integers, with room for larger and for smaller values.
/// @param largest greater than 0
/// @return empty if the unit or its reciprocal is infinite or subnormal
// 5 -> 2 - 33
std::optional<std::int32_t> unit_of_small_integers(double largest);

}  // namespace voxcc
