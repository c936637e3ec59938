// A format for the test of the table of formats: a magic number, the extents as 3 bytes, then voxels of 8 bits.
// "TOY1" 3 2 1 and six voxels
#pragma once
#include "io/io.h"

namespace voxcc::io {

constexpr std::string_view toy_magic = "TOY1";

std::unique_ptr<VolumeReader> open_toy(const std::string& path, const OpenOptions& options);
VolumeInfo describe_toy(const std::string& path, const OpenOptions& options);
std::unique_ptr<LabelWriter> create_toy(const LabelVolume& volume, OutputFiles& outputs);
std::vector<ScalarType> toy_label_types(const std::string& path);

}  // namespace voxcc::io
