// BioRad: the functions of its row in the table of formats. See Reading in io/format.h.
#pragma once
#include "io/format.h"

namespace voxcc::io {

bool is_biorad(const UnknownFile& file);
std::unique_ptr<VolumeReader> open_biorad(const std::string& path, const OpenOptions& options);
VolumeInfo describe_biorad(const std::string& path, const OpenOptions& options);

/// Checks the type of the voxels and the length of a file. @throw Error several_values, wrong_size
void check_biorad(const InputFile& file);

}  // namespace voxcc::io
