// Exact numbers: integers of many digits times a power of two. Sums, differences and products are exact, and a result is rounded once.
#pragma once
#include "kernels3d/measure/power_sums.h"

#include <cfloat>

namespace voxcc {

// The type in which square roots and quotients are computed before they are rounded to double: 113 bits if __float128 exists.
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;
constexpr int quad_digits = 113;
#else
using Quad = long double;
constexpr int quad_digits = LDBL_MANT_DIG;
#endif

/// A number (-1)^s digits 2^exponent. Results must have at most 9216 digits, which is enough for fourth powers of sums of doubles.
/// Nothing is allocated.
class ExactNumber {
public:
    static constexpr std::size_t most_limbs = 144;
    /// Zero.
    ExactNumber() = default;
    explicit ExactNumber(uint128 value);
    explicit ExactNumber(int128 value);
    explicit ExactNumber(std::uint64_t value) : ExactNumber(uint128(value)) {}
    /// @param value finite
    explicit ExactNumber(double value);
    /// value * 2^exponent
    template <std::size_t N>
    ExactNumber(const WideInteger<N>& value, int exponent) : exponent_(exponent), is_negative_(value.is_negative()) {
        const WideInteger<N> magnitude = is_negative_ ? value.negated() : value;
        for (const std::uint64_t limb : magnitude.limbs()) limbs_[size_++] = limb;
        normalise();
    }
    ExactNumber(const ExactNumber& other) { *this = other; }
    ExactNumber& operator=(const ExactNumber& other);

    ExactNumber operator-() const;
    ExactNumber operator+(const ExactNumber& other) const;
    ExactNumber operator-(const ExactNumber& other) const { return *this + -other; }
    ExactNumber operator*(const ExactNumber& other) const;
    /// This number times 2^by.
    ExactNumber scaled(int by) const;
    bool is_zero() const { return size_ == 0; }

    /// The nearest double; ties: the one with an even last digit. Infinite if it is too large.
    double nearest() const;
    /// The nearest double to this number / n, as nearest(). @param n above 0
    double nearest_quotient(std::uint64_t n) const;
    /// The number with quad_digits digits. The last digit is 1 if it or any digit after it is, so that rounding to double gives nearest().
    Quad rounded() const;

private:
    void normalise();
    /// The exponent of the highest digit. The number must not be zero.
    int top() const;
    /// The digits from 2^lowest up: at most 128. The last digit is 1 if it or any digit below is.
    uint128 digits_from(int lowest) const;
    int compare_magnitude(const ExactNumber& other) const;
    /// The limbs of this number if its exponent were lower. @param exponent at most exponent_
    ExactNumber with_exponent(int exponent) const;
    std::array<std::uint64_t, most_limbs> limbs_;  // [0, size_), lowest first; the others have no value
    std::size_t size_ = 0;
    int exponent_ = 0;
    bool is_negative_ = false;
};

}  // namespace voxcc
