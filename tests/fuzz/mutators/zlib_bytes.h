// Compression and decompression for the mutators.
#pragma once
#include "tests/fuzz/target.h"

#include <vector>

namespace voxcc::fuzz {

enum class Wrapper { gzip, zlib };

constexpr std::size_t most_unpacked = 1 << 18;

/// @return the decompressed bytes; empty if the stream is not valid or longer than most_unpacked
std::vector<std::uint8_t> unpacked(Input packed, Wrapper wrapper);

/// @param level 0..9
std::vector<std::uint8_t> packed(Input raw, Wrapper wrapper, int level);

/// Decompresses `input`, changes the bytes with mutate_fields() and compresses them again.
/// @return empty if `input` cannot be decompressed
std::vector<std::uint8_t> with_changed_content(Input input, Wrapper wrapper, int level, unsigned seed);

}  // namespace voxcc::fuzz
