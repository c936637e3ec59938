// Temporary files without a name.
#pragma once
#include <string>

namespace voxcc::io {

/// Creates a file for reading and writing that has no name, so that it disappears with the process.
/// @param name start of its name for a moment, if the file system needs one
/// @return its descriptor, which the caller must close; -1 with errno if it cannot be created
int create_nameless_file(const std::string& folder, const std::string& name);

}  // namespace voxcc::io
