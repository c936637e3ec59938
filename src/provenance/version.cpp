#include "src/provenance/version.h"

#include <voxcc/threads.h>
#include "io/formats/library_versions.h"
#include "io/sandbox.h"

namespace voxcc {

std::string version() {
    const std::string commit = VOXCC_COMMIT;
    return VOXCC_VERSION + (commit.empty() ? "" : "+" + commit);
}

std::string version_text() {
    std::string text = "voxcc " + version() + "\ninstruction sets:";
    for (const Isa isa : all_isas)
        if (supports(isa)) text += std::string(" ") + name_of(isa);
    text += std::string("; used: ") + name_of(default_isa()) + "\n";
    text += "sandbox: " + io::sandbox_text() + "\n";
    for (const io::LibraryVersion& library : io::library_versions()) text += library.name + " " + library.version + "\n";
    return text;
}

}  // namespace voxcc
