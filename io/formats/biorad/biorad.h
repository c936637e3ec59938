// BioRad: recognition, and the check before ITK reads a file. See Reading in io/format.h and ItkOnly.
#pragma once
#include "io/format.h"
#include "io/formats/itk/itk_reader.h"

namespace voxcc::io {

bool is_biorad(const UnknownFile& file);

/// Checks the type of the voxels and the length of a file. @throw Error several_values, wrong_size
void check_biorad(const InputFile& file);

inline constexpr ItkOnly biorad_by_itk{ItkFormat::biorad, check_biorad};

}  // namespace voxcc::io
