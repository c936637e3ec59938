// JPEG: the functions of its row in the table of formats. See Reading in io/format.h.
#pragma once
#include "io/format.h"

namespace voxcc::io {

bool is_jpeg(const UnknownFile& file);
std::unique_ptr<VolumeReader> open_jpeg(const std::string& path, const OpenOptions& options);
VolumeInfo describe_jpeg(const std::string& path, const OpenOptions& options);

/// Checks that a file has an end marker. ITK fills missing data with grey. @throw Error truncated_file
void check_jpeg(const InputFile& file);

}  // namespace voxcc::io
