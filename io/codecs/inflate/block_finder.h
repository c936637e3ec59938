// Finds places in compressed data where a block of a deflate stream can begin.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace voxcc::io::inflating {

/// @return whether the three bits of a block header that begin at bit 0 of `bits` belong to a block with dynamic codes that is not the last
constexpr bool begins_dynamic_block(std::uint64_t bits) { return (bits & 7) == 4; }

/// Finds the first place in [from, end) where a block with dynamic codes can begin that is not the last block. The lengths of the code of
/// code lengths are a complete code there; the rest of the header is not checked. Most places that pass are not the start of a block.
/// @param from, end indices of bits
std::optional<std::size_t> find_dynamic_block(std::span<const std::uint8_t> bytes, std::size_t from, std::size_t end);

}  // namespace voxcc::io::inflating
