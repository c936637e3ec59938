// The header of a NRRD file (teem.sourceforge.net/nrrd/format.html), attached or detached.
#pragma once
#include "io/text/stored_volume.h"

#include <optional>

namespace voxcc::io {

bool is_nrrd(const InputFile& file);

/// The files with the voxels: `file` itself, a detached one or several. @throw Error bad_data
std::vector<std::string> data_files_of_nrrd(const InputFile& file, ExternalFiles external);

/// @return nothing for what only ITK reads (text and hex voxels, voxels spread over several files): the header has been checked then.
/// @throw Error bad_data
std::optional<StoredVolume> parse_nrrd(const std::string& path, ExternalFiles external);

}  // namespace voxcc::io
