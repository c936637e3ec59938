// Checks that must pass before ITK opens a PNG. libpng calls abort() in ITK for an error in a chunk.
#pragma once
#include "io/files/checked_file.h"

namespace voxcc::io {

/// Checks all chunks up to IEND: length, name, CRC, their order, and the values of the header. @throw Error about the content
void check_png_chunks(const InputFile& file);

}  // namespace voxcc::io
