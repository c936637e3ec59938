// NRRD: the functions of its row in the table of formats. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

#include <string_view>

namespace voxcc::io {

constexpr std::string_view nrrd_magic = "NRRD000";  // without the digit of the version

std::unique_ptr<VolumeReader> open_nrrd(const std::string& path, const OpenOptions& options);
VolumeInfo describe_nrrd(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_nrrd(const std::string& path, const OpenOptions& options);
std::unique_ptr<LabelWriter> create_nrrd(const LabelVolume& volume, OutputFiles& outputs);

}  // namespace voxcc::io
