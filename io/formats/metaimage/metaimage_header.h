// The header of a MetaImage (.mha, .mhd). The MetaIO library of ITK is not used: it does not detect truncation, and it writes past its
// buffers on false headers.
#pragma once
#include "io/formats/stored/stored_volume.h"

namespace voxcc::io {

/// @return path of the voxel file: `file` or a detached file. @throw Error about the content
std::string data_file_of_metaimage(const InputFile& file, ExternalFiles external);

/// Parses and checks a header. @throw Error missing_file, no_permission, about the content
StoredVolume parse_metaimage(const std::string& path, ExternalFiles external);

}  // namespace voxcc::io
