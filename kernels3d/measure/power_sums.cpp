#include <voxcc/power_sums.h>

#include <cmath>

namespace voxcc {

void CompensatedSum::add(double v) {
    const double sum = value + v, v_seen = sum - value;
    rest += (value - (sum - v_seen)) + (v - v_seen);
    value = sum;
}

void CompensatedSum::add(const CompensatedSum& other) {
    add(other.value);
    rest += other.rest;
}

void CompensatedSum::add_product(double a, double b) {
    const double product = a * b;
    rest += std::fma(a, b, -product);
    add(product);
}

void CompensatedSum::add_product(const CompensatedSum& a, double b) {
    add_product(a.value, b);
    rest += a.rest * b;
}

void HigherPowers<CompensatedSum>::add(double v) {
    // d = v - origin as a double and its error, and its square as a double and its error.
    const double d = v - origin, v_seen = d + origin, d_error = (v - v_seen) + ((v_seen - d) - origin);
    const double square = d * d, square_error = std::fma(d, d, -square) + 2 * d * d_error;
    cubes.add_product(square, d);
    cubes.rest += square_error * d + square * d_error;
    fourths.add_product(square, square);
    fourths.rest += 2 * square * square_error;
}

WideInteger::WideInteger(int128 value)
    : limbs_{std::uint64_t(value), std::uint64_t(value >> 64), value < 0 ? ~std::uint64_t{0} : std::uint64_t{0}} {}

void WideInteger::add(const WideInteger& other) {
    uint128 carry = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
        carry += uint128(limbs_[i]) + other.limbs_[i];
        limbs_[i] = std::uint64_t(carry);
        carry >>= 64;
    }
}

void WideInteger::add_unsigned(uint128 value) {
    WideInteger other;
    other.limbs_ = {std::uint64_t(value), std::uint64_t(value >> 64), 0};
    add(other);
}

WideInteger WideInteger::negated() const {
    WideInteger result;
    for (std::size_t i = 0; i < limbs_.size(); ++i) result.limbs_[i] = ~limbs_[i];
    result.add_unsigned(1);
    return result;
}

WideInteger WideInteger::times(std::int64_t factor) const {
    if (factor < 0) return times(-factor).negated();
    WideInteger result;
    uint128 carry = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
        carry += uint128(limbs_[i]) * std::uint64_t(factor);
        result.limbs_[i] = std::uint64_t(carry);
        carry >>= 64;
    }
    return result;
}

}  // namespace voxcc
