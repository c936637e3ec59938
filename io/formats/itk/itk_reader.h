// The formats that ITK reads, and NRRD and MetaImage: the functions of their rows in the table of formats. See Reading and Writing in
// io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_itk(const std::string& path, const OpenOptions& options);
VolumeInfo describe_itk(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_itk(const std::string& path, const OpenOptions& options);

}  // namespace voxcc::io
