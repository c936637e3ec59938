// gzip members of many deflate blocks, and changes of their order.
#pragma once
#include "tests/fuzz/mutators/random.h"
#include "tests/fuzz/target.h"

#include <optional>
#include <vector>

namespace voxcc::fuzz {

/// @return length of a gzip header without fields or with only an extra field; empty for other headers
std::optional<std::size_t> gzip_header_bytes(Input file);

/// Compresses with zlib to many small blocks. Level, strategy and flushes are drawn. In half of the cases, the header has an index of
/// restart points (io/codecs/gzip/gzip_header.h), which is correct in most cases.
std::vector<std::uint8_t> packed_in_blocks(Input raw, Choices& choices);

/// Keeps the header and some blocks at the start of a member, and repeats, removes and reorders the later blocks. The trailer is not
/// corrected. @return empty if the file has no complete block
std::vector<std::uint8_t> with_moved_blocks(Input file, Choices& choices);

}  // namespace voxcc::fuzz
