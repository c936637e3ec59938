// Files without a header, which options.raw describes. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_raw(const std::string& path, const OpenOptions& options);
VolumeInfo describe_raw(const std::string& path, const OpenOptions& options);

}  // namespace voxcc::io
