// Sums of values and of their powers: exact for integers of up to 32 bits, compensated for doubles.
#pragma once
#include <voxcc/sums.h>

#include <array>
#include <cstdint>

namespace voxcc {

/// An exact sum. The terms are integers of up to 32 bits, or products of two such integers, or of an integer and an index.
struct ExactSum {
    int128 value = 0;
    void add(std::int64_t v) { value += v; }
    void add(const ExactSum& other) { value += other.value; }
    void add_product(std::int64_t a, std::int64_t b) { value += int128(a) * b; }
    void add_product(const ExactSum& a, std::int64_t b) { value += a.value * b; }
};

/// A sum of doubles or of products of doubles, as accurate as a sum in twice the precision. Source: Ogita, Rump, Oishi, "Accurate sum and
/// dot product", 2005, algorithms Sum2 and Dot2.
struct CompensatedSum {
    double value = 0, rest = 0;  // the sum is value + rest
    void add(double v);
    void add(const CompensatedSum& other);
    void add_product(double a, double b);
    void add_product(const CompensatedSum& a, double b);
};

/// A signed integer of 192 bits. Results are modulo 2^192, so a result is exact if it is in the range, also if terms of its sum are not.
// A sum of n fourth powers of 32-bit integers is below 2^191 for n < 2^63.
class WideInteger {
public:
    WideInteger() = default;
    explicit WideInteger(int128 value);
    void add(const WideInteger& other);
    void add_unsigned(uint128 value);
    WideInteger times(std::int64_t factor) const;
    bool is_negative() const { return limbs_[2] >> 63 != 0; }
    WideInteger negated() const;
    /// The limbs of 64 bits, lowest first, in two's complement.
    const std::array<std::uint64_t, 3>& limbs() const { return limbs_; }

private:
    std::array<std::uint64_t, 3> limbs_{};
};

/// Sums of third and fourth powers. For integers: of the values. For doubles: of their differences from the first value of the component.
/// These differences are at most sqrt(n) standard deviations from the mean, so the central moments lose few digits.
template <class Sum>
struct HigherPowers;
template <>
struct HigherPowers<ExactSum> {
    WideInteger cubes, fourths;
};
template <>
struct HigherPowers<CompensatedSum> {
    double origin = 0;
    CompensatedSum cubes, fourths;
    /// Adds a value. `origin` must be set.
    void add(double v);
};

}  // namespace voxcc
