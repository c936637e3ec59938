// The recognition of Zarr stores. It needs no library, so that builds without Zarr can name the format.
#pragma once
#include <string>

namespace voxcc::io {

/// Looks at the files of a folder, and at the name of a file: metadata, or an archive (.zarr.zip, .ozx). An archive with another name
/// (.zip) must contain metadata. @return whether `path` is a Zarr store, group or array
bool is_zarr(const std::string& path);

}  // namespace voxcc::io
