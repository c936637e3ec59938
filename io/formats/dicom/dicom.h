// DICOM files, and folders that hold a DICOM series: the functions of their row in the table of formats. See Reading and Writing in
// io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_dicom(const std::string& path, const OpenOptions& options);
VolumeInfo describe_dicom(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_dicom(const std::string& path, const OpenOptions& options);

}  // namespace voxcc::io
