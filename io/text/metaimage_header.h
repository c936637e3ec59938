// The header of a MetaImage (.mha, .mhd). The MetaIO library of ITK is not used: it does not detect truncation, and it writes past its
// buffers on false headers.
#pragma once
#include "io/text/stored_volume.h"

namespace voxcc::io {

bool is_metaimage(const InputFile& file);

/// @return path of the voxel file: `file` or a detached file. @throw Error bad_data
std::string data_file_of_metaimage(const InputFile& file, ExternalFiles external);

/// Parses and checks a header. @throw Error no_input, no_permission, bad_data
StoredVolume parse_metaimage(const std::string& path, ExternalFiles external);

}  // namespace voxcc::io
