// NumPy archives: the functions of its row in the table of formats. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_npz(const std::string& path, const OpenOptions& options);
VolumeInfo describe_npz(const std::string& path, const OpenOptions& options);
std::unique_ptr<LabelWriter> create_npz(const LabelVolume& volume, OutputFiles& outputs);

}  // namespace voxcc::io
