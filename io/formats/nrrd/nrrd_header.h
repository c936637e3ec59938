// The header of a NRRD file, attached or detached: position, type and geometry of the voxels.
#pragma once
#include "io/formats/nrrd/nrrd_text.h"
#include "io/formats/stored/stored_volume.h"

#include <string>
#include <vector>

namespace voxcc::io {

/// @return paths of the voxel files: `file`, or one or several detached files. @throw Error about the content
std::vector<std::string> data_files_of_nrrd(const InputFile& file, ExternalFiles external);

/// Parses and checks a header, and the lengths of the voxel files. @throw Error missing_file, no_permission, about the content
StoredVolume parse_nrrd(const std::string& path, ExternalFiles external);

}  // namespace voxcc::io
