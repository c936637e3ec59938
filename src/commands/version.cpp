#include "src/commands/version.h"

#include "io/library_versions.h"

namespace voxcc {

std::string version() {
    const std::string commit = VOXCC_COMMIT;
    return VOXCC_VERSION + (commit.empty() ? "" : "+" + commit);
}

std::string version_text() {
    std::string text = "voxcc " + version() + "\n";
    for (const io::LibraryVersion& library : io::library_versions()) text += library.name + " " + library.version + "\n";
    return text;
}

}  // namespace voxcc
