// Reader of a StoredVolume. ITK does not detect truncated MetaImage files, so the voxels are read here as a stream and checked to the last
// byte.
#pragma once
#include "io/formats/stored/stored_volume.h"

namespace voxcc::io {

/// Opens the volume that the options choose. @throw Error as chosen_volume(); missing_file, about the content
std::unique_ptr<VolumeReader> open_stored(StoredVolume volume, const OpenOptions& options);

}  // namespace voxcc::io
