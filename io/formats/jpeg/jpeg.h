// JPEG: recognition, and the check before ITK reads a file. See Reading in io/format.h and ItkOnly.
#pragma once
#include "io/format.h"
#include "io/formats/itk/itk_reader.h"

namespace voxcc::io {

bool is_jpeg(const UnknownFile& file);

/// Checks that a file has an end marker. ITK fills missing data with grey. @throw Error truncated_file
void check_jpeg(const InputFile& file);

inline constexpr ItkOnly jpeg_by_itk{ItkFormat::jpeg, check_jpeg};

}  // namespace voxcc::io
