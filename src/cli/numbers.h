// Parses numbers, independently of the locale.
#pragma once
#include <charconv>
#include <optional>
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

}  // namespace voxcc
