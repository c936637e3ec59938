// Parses and prints numbers, independently of the locale.
#pragma once
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace voxcc {

/// Parses a text that must consist of one number only.
/// @return nothing if it does not, or if the number does not fit T
// int: "12" -> 12; "12mm", " 12" and "" -> nothing
template <class T>
std::optional<T> number_in(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The shortest text that is read back as the same number.
// 0.5 -> "0.5"
inline std::string shortest_text(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace voxcc
