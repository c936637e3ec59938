// GIPL: the functions of its row in the table of formats. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_gipl(const std::string& path, const OpenOptions& options);
VolumeInfo describe_gipl(const std::string& path, const OpenOptions& options);

}  // namespace voxcc::io
