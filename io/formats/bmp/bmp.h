// BMP: the functions of its row in the table of formats. See Reading in io/format.h.
#pragma once
#include "io/format.h"

namespace voxcc::io {

bool is_bmp(const UnknownFile& file);
std::unique_ptr<VolumeReader> open_bmp(const std::string& path, const OpenOptions& options);
VolumeInfo describe_bmp(const std::string& path, const OpenOptions& options);

/// Checks the form of the pixels and the length of a file. @throw Error unsupported_file, wrong_size
void check_bmp(const InputFile& file);

}  // namespace voxcc::io
