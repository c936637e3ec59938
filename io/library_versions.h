// Versions of the libraries that io uses, for --version and the provenance of outputs.
#pragma once
#include <string>
#include <vector>

namespace voxcc::io {

struct LibraryVersion {
    std::string name, version;
};

/// @return the version at run time if the library reports one, else at compile time
std::vector<LibraryVersion> library_versions();

}  // namespace voxcc::io
