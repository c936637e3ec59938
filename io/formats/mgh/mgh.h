// FreeSurfer: the functions of its row in the table of formats. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_mgh(const std::string& path, const OpenOptions& options);
VolumeInfo describe_mgh(const std::string& path, const OpenOptions& options);
/// Only the types of FreeSurfer: u8, i16, u16, i32, f32.
bool stores_mgh_values(const std::string& path, ScalarType type);
std::unique_ptr<LabelWriter> create_mgh(const LabelVolume& volume, OutputFiles& outputs);

}  // namespace voxcc::io
