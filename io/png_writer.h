// RGB pictures as PNG.
#pragma once
#include "io/checked_file.h"

#include <array>
#include <cstdint>
#include <vector>

namespace voxcc::io {

struct Picture {
    std::int64_t width = 0, height = 0;
    std::vector<std::array<std::uint8_t, 3>> pixels;  // [height][width], top row first
};

/// Writes and closes the file. @throw Error io_error; usage if an edge is longer than PNG readers accept (10^6)
void write_png(const Picture& picture, OutputFile& file);

}  // namespace voxcc::io
