// Huffman codes with a limited length, in the form that deflate stores (RFC 1951, section 3.2.2).
#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace voxcc::io {

constexpr std::size_t most_symbols = 288;

/// length = [2, 1, 0, 2]  ->  bits = [0b01, 0b0, -, 0b11]: codes of equal length ascend with the symbol, first bit of the code lowest
struct HuffmanCode {
    std::array<std::uint16_t, most_symbols> bits{};
    std::array<std::uint8_t, most_symbols> length{};  // 0: the symbol has no code
};

/// Computes a complete code. It is optimal if no code of the optimal tree is longer than `longest`. The result depends on the arguments
/// only. If fewer than two symbols occur, the first symbols that do not occur get a code too, because some decoders require two codes.
/// @param frequency per symbol, 2 to 288 symbols; the sum must be less than 2^47
/// @param longest bits per code, at most 15; 2^longest must be at least the number of symbols
HuffmanCode huffman_code(std::span<const std::uint32_t> frequency, unsigned longest);

}  // namespace voxcc::io
