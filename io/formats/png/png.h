// PNG: recognition, and the check before ITK reads a file. See Reading in io/format.h and ItkOnly.
#pragma once
#include "io/format.h"
#include "io/formats/itk/itk_reader.h"
#include "io/formats/png/png_chunks.h"

namespace voxcc::io {

bool is_png(const UnknownFile& file);

inline constexpr ItkOnly png_by_itk{ItkFormat::png, check_png_chunks};

}  // namespace voxcc::io
