// The symbols of match lengths and distances in deflate streams. Source: RFC 1951, section 3.2.5.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace voxcc::io {

inline constexpr std::size_t longest_match = 258;
inline constexpr std::size_t litlen_symbols = 286, distance_symbols = 30, end_of_block = 256, longest_symbol = 285;

/// The symbols of match lengths. Indices of `symbol` are lengths, 3 to 258; indices of `first` and `extra_bits` are symbols.
struct LengthSymbols {
    std::array<std::uint16_t, longest_match + 1> symbol{};
    std::array<std::uint16_t, litlen_symbols> first{};  // length
    std::array<std::uint8_t, litlen_symbols> extra_bits{};
    constexpr LengthSymbols() {
        std::size_t length = 3;
        for (std::size_t s = 257; s < longest_symbol; ++s) {
            extra_bits[s] = std::uint8_t(s < 265 ? 0 : (s - 261) / 4);
            first[s] = std::uint16_t(length);
            for (int i = 0; i < 1 << extra_bits[s]; ++i) symbol[length++] = std::uint16_t(s);
        }
        symbol[longest_match] = longest_symbol;
        first[longest_symbol] = longest_match;
    }
};
inline constexpr LengthSymbols lengths;

struct DistanceSymbol {
    std::uint32_t symbol, extra_bits, extra;
};
inline DistanceSymbol distance_symbol(std::uint32_t distance_less_1) {
    const auto extra_bits = std::uint32_t(std::bit_width(distance_less_1 | 2) - 2);
    return {2 * extra_bits + (distance_less_1 >> extra_bits), extra_bits, distance_less_1 & ((1u << extra_bits) - 1)};
}
inline std::uint32_t distance_extra_bits(std::size_t symbol) { return symbol < 4 ? 0 : std::uint32_t(symbol / 2 - 1); }

}  // namespace voxcc::io
