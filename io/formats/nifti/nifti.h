// NIfTI-1 and NIfTI-2: the functions of its row in the table of formats. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_nifti(const std::string& path, const OpenOptions& options);
VolumeInfo describe_nifti(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_nifti(const std::string& path, const OpenOptions& options);
std::unique_ptr<LabelWriter> create_nifti(const LabelVolume& volume, OutputFiles& outputs);

}  // namespace voxcc::io
