// One box of a JP2 file.
#pragma once
#include "io/files/checked_file.h"

#include <string_view>
#include <vector>

namespace voxcc::io {

/// Bytes [begin, end) of a file.
struct ByteRange {
    std::int64_t begin = 0, end = 0;
    std::int64_t size() const { return end - begin; }
};

struct Box {
    std::uint32_t type = 0;
    ByteRange content;
};

// "jp2h"  ->  0x6a703268
constexpr std::uint32_t box_type(std::string_view name) {
    std::uint32_t type = 0;
    for (const char c : name) type = type << 8 | static_cast<unsigned char>(c);
    return type;
}

/// Lists the boxes that fill `range`, in their order. Only the last one may have the length 0, which means the remaining bytes.
/// @throw Error invalid_file if a box is too short, or if there are more than 100,000; truncated_file if a box exceeds the file;
/// corrupt_file if it exceeds the range
std::vector<Box> boxes_in(const InputFile& file, ByteRange range);

}  // namespace voxcc::io
