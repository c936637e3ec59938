// Text as a number, the same in every locale.
#pragma once
#include <charconv>
#include <optional>
#include <string_view>

namespace voxcc {

/// The number that `text` is from its first to its last character; nothing if it is none or does not fit T.
template <class T>
std::optional<T> number_in(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace voxcc
