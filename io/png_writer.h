// Writes RGB pictures as PNG.
#pragma once
#include "io/files/checked_file.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace voxcc::io {

using Pixel = std::array<std::uint8_t, 3>;

struct Picture {
    std::int64_t width = 0, height = 0;
    std::vector<Pixel> pixels;  // [height][width], top row first
};

/// Writes the picture and closes the file. @param picture width and height in [1, 10^6]
/// @throw Error io_error; picture_too_large if an edge is longer than 10^6 pixels (the limit of PNG readers)
void write_png(const Picture& picture, OutputFile& file);

/// The same, without the complete picture in memory.
/// @param width, height of the picture @param row returns the pixels of a row; is called once per row, from top to bottom
void write_png(std::int64_t width, std::int64_t height, const std::function<const Pixel*(std::int64_t y)>& row, OutputFile& file);

}  // namespace voxcc::io
