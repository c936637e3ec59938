// Writes RGB pictures as PNG.
#pragma once
#include "io/files/checked_file.h"

#include <array>
#include <cstdint>
#include <vector>

namespace voxcc::io {

struct Picture {
    std::int64_t width = 0, height = 0;
    std::vector<std::array<std::uint8_t, 3>> pixels;  // [height][width], top row first
};

/// Writes the picture and closes the file. @param picture width and height in [1, 10^6]
/// @throw Error io_error; picture_too_large if an edge is longer than 10^6 pixels (the limit of PNG readers)
void write_png(const Picture& picture, OutputFile& file);

}  // namespace voxcc::io
