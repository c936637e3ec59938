// Exact sums of values and of their powers, for integers of up to 32 bits and for doubles.
//
// A double is m 2^e with an integer m. Its powers need up to 8700 bits, but the values of one component usually have similar exponents.
// ScaledSums therefore holds integer sums of the values in one range of exponents, and FloatSums holds one ScaledSums per range that
// occurs.
#pragma once
#include <voxcc/measure.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace voxcc {

/// A signed integer of N * 64 bits, N at least 2. Results are modulo 2^(64 N), so a result is exact if it is in the range, also if terms of
/// its sum are not.
template <std::size_t N>
class WideInteger {
public:
    using Limbs = std::array<std::uint64_t, N>;
    WideInteger() = default;
    explicit WideInteger(const Limbs& limbs) : limbs_(limbs) {}
    void add(const WideInteger& other) { add_from(0, other.limbs_, 0); }
    void add(int128 value) {
        const std::uint64_t sign = value < 0 ? ~std::uint64_t{0} : 0;
        add_low(uint128(value), sign);
    }
    void add_unsigned(uint128 value) { add_low(value, 0); }
    /// Adds value * 2^bits. @param bits in [0, 64 (N - 1))
    void add_shifted(int128 value, unsigned bits) {
        const unsigned up = bits % 64;
        const std::uint64_t low = std::uint64_t(value), high = std::uint64_t(value >> 64), sign = value < 0 ? ~std::uint64_t{0} : 0;
        const auto joined = [&](std::uint64_t left, std::uint64_t right) {  // the upper limb of (left, right) * 2^up
            return up == 0 ? left : left << up | right >> (64 - up);
        };
        add_from(bits / 64, std::array{low << up, joined(high, low), joined(sign, high)}, sign);
    }
    /// Adds value * factor. @param factor below 2^32
    void add_product(int128 value, std::uint64_t factor) {
        if (value == std::int64_t(value)) return add(value * std::int64_t(factor));
        const uint128 magnitude = value < 0 ? -uint128(value) : uint128(value);
        const uint128 low = uint128(std::uint64_t(magnitude)) * factor,
                      high = uint128(std::uint64_t(magnitude >> 64)) * factor + (low >> 64);
        WideInteger product;
        product.add_from(0, std::array{std::uint64_t(low), std::uint64_t(high), std::uint64_t(high >> 64)}, 0);
        add(value < 0 ? product.negated() : product);
    }
    bool is_negative() const { return limbs_[N - 1] >> 63 != 0; }
    WideInteger negated() const {
        WideInteger result;
        for (std::size_t i = 0; i < N; ++i) result.limbs_[i] = ~limbs_[i];
        result.add_unsigned(1);
        return result;
    }
    /// The limbs of 64 bits, lowest first, in two's complement.
    const Limbs& limbs() const { return limbs_; }
    bool operator==(const WideInteger&) const = default;

private:
    /// Adds `low` to the lowest two limbs, and `rest` to all limbs above them.
    [[gnu::always_inline]] void add_low(uint128 low, std::uint64_t rest) {
        if constexpr (N == 3) {  // the compiler translates this to fewer instructions than the loop of add_from()
            const uint128 sum = (uint128(limbs_[1]) << 64 | limbs_[0]) + low;
            limbs_ = {std::uint64_t(sum), std::uint64_t(sum >> 64), limbs_[2] + rest + (sum < low)};
        } else {
            add_from(0, std::array{std::uint64_t(low), std::uint64_t(low >> 64)}, rest);
        }
    }
    /// Adds limbs from limb `first` on, and `rest` to all limbs above them.
    template <std::size_t K>
    [[gnu::always_inline]] void add_from(std::size_t first, const std::array<std::uint64_t, K>& limbs, std::uint64_t rest) {
        std::uint64_t carry = 0;
        for (std::size_t i = first; i < N; ++i) {
            std::uint64_t sum = 0;
            const bool a = __builtin_add_overflow(limbs_[i], i - first < K ? limbs[i - first] : rest, &sum);
            const bool b = __builtin_add_overflow(sum, carry, &limbs_[i]);
            carry = std::uint64_t(a | b);
        }
    }
    Limbs limbs_{};
};

/// The sums of third and fourth powers, if they are wanted.
template <Powers P, std::size_t CubeLimbs, std::size_t FourthLimbs>
struct HigherPowers {
    WideInteger<CubeLimbs> cubes;
    WideInteger<FourthLimbs> fourths;
    void add(const HigherPowers& other) { cubes.add(other.cubes), fourths.add(other.fourths); }
    bool operator==(const HigherPowers&) const = default;
};
template <std::size_t CubeLimbs, std::size_t FourthLimbs>
struct HigherPowers<Powers::two, CubeLimbs, FourthLimbs> {
    void add(const HigherPowers&) {}
    bool operator==(const HigherPowers&) const = default;
};

/// Sums of integers of up to 32 bits, of their powers and of their products with indices. Exact for fewer than 2^63 values.
template <Powers P>
struct IntegerSums : HigherPowers<P, 3, 3> {
    static constexpr Powers powers = P;
    static constexpr bool of_integers = true;
    int128 v = 0, vv = 0, vx = 0, vy = 0, vz = 0;
    void add(const IntegerSums& other);
    /// Moves the voxels along x, y and z. @param by each below 2^32
    void move(const std::array<std::int64_t, 3>& by) { vx += v * by[0], vy += v * by[1], vz += v * by[2]; }
    bool operator==(const IntegerSums&) const = default;
};

template <>
struct IntegerSums<Powers::one> {
    static constexpr Powers powers = Powers::one;
    static constexpr bool of_integers = true;
    int128 v = 0;
    void add(const IntegerSums& other) { v += other.v; }
    void move(const std::array<std::int64_t, 3>&) {}
    bool operator==(const IntegerSums&) const = default;
};

/// Sums of integers M with |M| < 2^60, of their powers and of their products with voxel indices, where M 2^unit are the values. Exact for
/// fewer than 2^63 values.
template <Powers P>
struct ScaledSums : HigherPowers<P, 4, 5> {
    static constexpr std::int32_t no_unit = INT32_MIN;
    std::int32_t unit = no_unit;  // no_unit: without values
    int128 v = 0;
    WideInteger<3> vv, vx, vy, vz;
    void add(const ScaledSums& other);
    /// Moves the voxels along x, y and z. @param by each below 2^32
    void move(const std::array<std::int64_t, 3>& by) {
        vx.add_product(v, std::uint64_t(by[0])), vy.add_product(v, std::uint64_t(by[1])), vz.add_product(v, std::uint64_t(by[2]));
    }
    bool operator==(const ScaledSums&) const = default;
};

/// Sums of doubles: sorted by unit, each unit once. One unit needs no memory of its own.
template <Powers P>
class FloatSums {
public:
    static constexpr Powers powers = P;
    static constexpr bool of_integers = false;
    using OfUnit = ScaledSums<P>;
    /// The sums of the values with a unit. They are made if they do not exist, which may move other sums.
    OfUnit& of(std::int32_t unit) {
        if (first_.unit == unit) return first_;
        return of_other(unit);
    }
    /// Whether of(unit) needs no memory.
    bool has_room(std::int32_t unit) const { return first_.unit == unit || first_.unit == OfUnit::no_unit; }
    void add(const FloatSums& other);
    /// Moves the voxels along x, y and z. @param by each below 2^32
    void move(const std::array<std::int64_t, 3>& by) {
        first_.move(by);
        for (OfUnit& sums : more_) sums.move(by);
    }
    /// The number of units.
    std::size_t units() const { return (first_.unit != OfUnit::no_unit) + more_.size(); }
    /// Calls f(sums) for each unit.
    template <class F>
    void for_each(F&& f) const {
        if (first_.unit != OfUnit::no_unit) f(first_);
        for (const OfUnit& sums : more_) f(sums);
    }

private:
    OfUnit& of_other(std::int32_t unit);
    OfUnit first_;              // of the unit that was used first
    std::vector<OfUnit> more_;  // by unit, ascending
};

}  // namespace voxcc
