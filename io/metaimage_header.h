// The header of a MetaImage (.mha, .mhd). ITK's MetaIO is not asked: it passes by what is cut short, and writes past its buffers where
// a header lies.
#pragma once
#include "io/stored_volume.h"

namespace voxcc::io {

bool is_metaimage(const InputFile& file);

/// @throw Error bad_data
StoredVolume parse_metaimage(const std::string& path, ExternalFiles external);

}  // namespace voxcc::io
