// PNG: the functions of its row in the table of formats. See Reading in io/format.h.
#pragma once
#include "io/format.h"

namespace voxcc::io {

bool is_png(const UnknownFile& file);
std::unique_ptr<VolumeReader> open_png(const std::string& path, const OpenOptions& options);
VolumeInfo describe_png(const std::string& path, const OpenOptions& options);

}  // namespace voxcc::io
