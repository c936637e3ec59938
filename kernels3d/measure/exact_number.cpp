#include "kernels3d/measure/exact_number.h"

#include <bit>
#include <cmath>

namespace voxcc {

ExactNumber::ExactNumber(uint128 value) {
    limbs_[0] = std::uint64_t(value), limbs_[1] = std::uint64_t(value >> 64);
    size_ = 2;
    normalise();
}

ExactNumber::ExactNumber(int128 value) : ExactNumber(value < 0 ? -uint128(value) : uint128(value)) { is_negative_ = value < 0; }

ExactNumber::ExactNumber(double value) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);  // below 1
    *this = ExactNumber(int128(std::ldexp(fraction, DBL_MANT_DIG))).scaled(exponent - DBL_MANT_DIG);
}

ExactNumber& ExactNumber::operator=(const ExactNumber& other) {
    std::copy_n(other.limbs_.begin(), other.size_, limbs_.begin());
    size_ = other.size_, exponent_ = other.exponent_, is_negative_ = other.is_negative_;
    return *this;
}

void ExactNumber::normalise() {
    while (size_ > 0 && limbs_[size_ - 1] == 0) --size_;
    if (size_ == 0) exponent_ = 0, is_negative_ = false;
}

int ExactNumber::top() const { return exponent_ + int(size_) * 64 - 1 - std::countl_zero(limbs_[size_ - 1]); }

ExactNumber ExactNumber::operator-() const {
    ExactNumber result = *this;
    result.is_negative_ = !is_negative_ && size_ > 0;
    return result;
}

ExactNumber ExactNumber::scaled(int by) const {
    ExactNumber result = *this;
    if (size_ > 0) result.exponent_ += by;
    return result;
}

ExactNumber ExactNumber::with_exponent(int exponent) const {
    const auto up = unsigned(exponent_ - exponent);
    const std::size_t limbs = up / 64;
    const unsigned bits = up % 64;
    ExactNumber result;
    result.exponent_ = exponent, result.is_negative_ = is_negative_;
    result.size_ = limbs + size_ + 1;
    std::fill_n(result.limbs_.begin(), limbs, 0);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i <= size_; ++i) {
        const std::uint64_t limb = i < size_ ? limbs_[i] : 0;
        result.limbs_[limbs + i] = bits == 0 ? limb : limb << bits | below >> (64 - bits);
        below = limb;
    }
    result.normalise();
    return result;
}

int ExactNumber::compare_magnitude(const ExactNumber& other) const {
    if (size_ != other.size_) return size_ < other.size_ ? -1 : 1;
    for (std::size_t i = size_; i-- > 0;)
        if (limbs_[i] != other.limbs_[i]) return limbs_[i] < other.limbs_[i] ? -1 : 1;
    return 0;
}

ExactNumber ExactNumber::operator+(const ExactNumber& other) const {
    if (other.is_zero()) return *this;
    if (is_zero()) return other;
    if (exponent_ > other.exponent_) return with_exponent(other.exponent_) + other;
    if (exponent_ < other.exponent_) return *this + other.with_exponent(exponent_);
    const bool exchange = compare_magnitude(other) < 0;
    const ExactNumber &large = exchange ? other : *this, &small = exchange ? *this : other;
    const bool adds = is_negative_ == other.is_negative_;
    ExactNumber result = large;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < large.size_; ++i) {
        const std::uint64_t limb = i < small.size_ ? small.limbs_[i] : 0;
        const uint128 sum = adds ? uint128(large.limbs_[i]) + limb + carry : uint128(large.limbs_[i]) - limb - carry;
        result.limbs_[i] = std::uint64_t(sum);
        carry = std::uint64_t(sum >> 64) & 1;
    }
    if (adds && carry != 0) result.limbs_[result.size_++] = carry;
    result.normalise();
    return result;
}

ExactNumber ExactNumber::operator*(const ExactNumber& other) const {
    ExactNumber result;
    result.size_ = size_ + other.size_;
    std::fill_n(result.limbs_.begin(), result.size_, 0);
    for (std::size_t i = 0; i < size_; ++i) {
        std::uint64_t carry = 0;
        for (std::size_t k = 0; k < other.size_; ++k) {
            const uint128 sum = uint128(limbs_[i]) * other.limbs_[k] + result.limbs_[i + k] + carry;
            result.limbs_[i + k] = std::uint64_t(sum);
            carry = std::uint64_t(sum >> 64);
        }
        result.limbs_[i + other.size_] = carry;
    }
    result.exponent_ = exponent_ + other.exponent_;
    result.is_negative_ = is_negative_ != other.is_negative_;
    result.normalise();
    return result;
}

uint128 ExactNumber::digits_from(int lowest) const {
    if (lowest <= exponent_) {  // at most 128 digits, which fit after the shift
        const uint128 digits = limbs_[0] | (size_ > 1 ? uint128(limbs_[1]) << 64 : 0);
        return digits << (exponent_ - lowest);
    }
    const auto down = std::size_t(lowest - exponent_);
    const auto limb = [&](std::size_t i) { return i < size_ ? limbs_[i] : 0; };
    const std::size_t first = down / 64;
    const unsigned bits = down % 64;
    uint128 digits = (limb(first) | uint128(limb(first + 1)) << 64) >> bits;
    if (bits > 0) digits |= uint128(limb(first + 2)) << (128 - bits);
    bool rest = bits > 0 && limb(first) << (64 - bits) != 0;
    for (std::size_t i = 0; i < std::min(first, size_) && !rest; ++i) rest = limbs_[i] != 0;
    return digits | uint128(rest);
}

double ExactNumber::nearest() const {
    if (is_zero()) return 0;
    const int lowest = std::max(top() - DBL_MANT_DIG + 1, DBL_MIN_EXP - DBL_MANT_DIG);  // the last digit of the double
    if (top() < lowest - 1) return is_negative_ ? -0.0 : 0.0;
    const auto digits = std::uint64_t(digits_from(lowest - 2));  // two more: the first that is dropped, and whether there are others
    const std::uint64_t up = (digits & 3) == 3 || (digits & 7) == 6 ? 1 : 0;
    const double magnitude = std::ldexp(double((digits >> 2) + up), lowest);
    return is_negative_ ? -magnitude : magnitude;
}

double ExactNumber::nearest_quotient(std::uint64_t n) const {
    if (is_zero()) return 0;
    ExactNumber result = with_exponent(exponent_ - 128);  // the quotient has more than 64 digits
    std::uint64_t rest = 0;
    for (std::size_t i = result.size_; i-- > 0;) {
        const uint128 part = uint128(rest) << 64 | result.limbs_[i];
        result.limbs_[i] = std::uint64_t(part / n);
        rest = std::uint64_t(part % n);
    }
    if (rest > 0) result.limbs_[0] |= 1;
    result.normalise();
    return result.nearest();
}

Quad ExactNumber::rounded() const {
    if (is_zero()) return 0;
    const int lowest = top() - quad_digits + 1;
    const Quad magnitude = Quad(digits_from(lowest)) * Quad(std::ldexp(1.0L, lowest));
    return is_negative_ ? -magnitude : magnitude;
}

}  // namespace voxcc
