// BMP: recognition, and the check before ITK reads a file. See Reading in io/format.h and ItkOnly.
#pragma once
#include "io/format.h"
#include "io/formats/itk/itk_reader.h"

namespace voxcc::io {

bool is_bmp(const UnknownFile& file);

/// Checks the form of the pixels and the length of a file. @throw Error unsupported_file, wrong_size
void check_bmp(const InputFile& file);

inline constexpr ItkOnly bmp_by_itk{ItkFormat::bmp, check_bmp};

}  // namespace voxcc::io
