// The libraries behind io, for --version and for the provenance of outputs.
#pragma once
#include <string>
#include <vector>

namespace voxcc::io {

struct LibraryVersion {
    std::string name, version;
};

/// As loaded where a library can say so, else as compiled against.
std::vector<LibraryVersion> library_versions();

}  // namespace voxcc::io
