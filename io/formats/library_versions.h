// Versions of the libraries that io uses, for --version and the provenance of outputs.
#pragma once
#include <string>
#include <vector>

namespace voxcc::io {

struct LibraryVersion {
    std::string name, version;
};

/// @return the version at run time if the library reports one, else at compile time; "not in this build" for a library that the build
/// leaves out
std::vector<LibraryVersion> library_versions();

}  // namespace voxcc::io
