// Reads and prints bounds as decimal text.
#include <voxcc/connectivity.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace voxcc {
namespace {

/// The digits of a positive decimal number: 0.DIGITS * 10^point. The first digit is not 0, unless the number is 0.
struct Decimal {
    std::string digits;
    std::int64_t point = 0;
};

/// @param text without sign; must be a number that is finite
// "1204.50e-1" -> {"120450", 3}; "0.02" -> {"2", -1}
Decimal decimal_in(std::string_view text) {
    Decimal decimal;
    const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
    std::string_view exponent = text.substr(std::min(mark + 1, text.size()));
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.point);  // without an exponent, it stays 0
    bool is_after_point = false;
    for (const char c : text.substr(0, mark)) {
        if (c == '.') {
            is_after_point = true;
            continue;
        }
        const bool is_leading_zero = c == '0' && decimal.digits.empty();
        if (!is_leading_zero) decimal.digits += c;
        decimal.point += int(!is_after_point && !is_leading_zero) - int(is_after_point && is_leading_zero);
    }
    return decimal;
}

/// The digits of a number that is not negative.
std::string digits_of(int128 number) {
    std::string digits;
    for (; number > 0; number /= 10) digits.insert(digits.begin(), char('0' + int(number % 10)));
    return digits.empty() ? "0" : digits;
}

}  // namespace

std::optional<Bound> bound_in(std::string_view text) {
    double real = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (!std::isfinite(real)) return Bound(real);
    const bool is_negative = text.starts_with('-');
    const Decimal decimal = decimal_in(text.substr(is_negative ? 1 : 0));
    constexpr std::int64_t most_digits = 20;  // numbers with more digits are above Bound::most
    if (decimal.digits.empty() || decimal.point > most_digits) return Bound(real);
    int128 whole = 0;
    bool has_fraction = false;
    const auto places = std::max<std::int64_t>(decimal.point, 0);
    for (std::int64_t i = 0; i < std::max(places, std::int64_t(decimal.digits.size())); ++i) {
        const char digit = i < std::int64_t(decimal.digits.size()) ? decimal.digits[std::size_t(i)] : '0';
        if (i < places) whole = whole * 10 + (digit - '0');
        else has_fraction |= digit != '0';
    }
    if (is_negative) whole = has_fraction ? -whole - 1 : -whole;
    return Bound(whole, has_fraction, real);
}

std::string text_of(const Bound& bound) {
    std::array<char, 32> shortest{};
    std::string text(shortest.data(), std::to_chars(shortest.data(), shortest.data() + shortest.size(), bound.real).ptr);
    if (bound_in(text) == bound) return text;
    const Bound size = bound.whole < 0 ? -bound : bound;
    const std::string integer = (bound.whole < 0 ? "-" : "") + digits_of(size.whole);
    if (!bound.has_fraction) return integer;
    // All fractions of one integer are the same bound, if `real` is the same: the integer or a number beside it.
    for (const char* fraction : {".5", ".00000000000000000001", ".99999999999999999999"})
        if (bound_in(text = integer + fraction) == bound) break;
    return text;
}

}  // namespace voxcc
