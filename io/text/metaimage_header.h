// The header of a MetaImage (.mha, .mhd). ITK's MetaIO is not asked: it passes by what is cut short, and writes past its buffers where
// a header lies.
#pragma once
#include "io/text/stored_volume.h"

namespace voxcc::io {

bool is_metaimage(const InputFile& file);

/// The file with the voxels: `file` itself or a detached one. @throw Error bad_data
std::string data_file_of_metaimage(const InputFile& file, ExternalFiles external);

/// @throw Error bad_data
StoredVolume parse_metaimage(const std::string& path, ExternalFiles external);

}  // namespace voxcc::io
