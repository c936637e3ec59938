#include "src/provenance/version.h"

#include <voxcc/isa.h>
#include "io/formats/library_versions.h"
#include "io/sandbox.h"

namespace voxcc {

std::string version() {
    const std::string commit = VOXCC_COMMIT;
    return VOXCC_VERSION + (commit.empty() ? "" : "+" + commit);
}

std::string version_text() {
    std::string text = "voxcc " + version() + "\ninstruction sets:";
    for (const block_runs::Isa isa : block_runs::all_isas)
        if (block_runs::supports(isa)) text += std::string(" ") + block_runs::name_of(isa);
    text += std::string("; used: ") + block_runs::name_of(block_runs::default_isa()) + "\n";
    text += "sandbox: " + io::sandbox_text() + "\n";
    for (const io::LibraryVersion& library : io::library_versions()) text += library.name + " " + library.version + "\n";
    return text;
}

}  // namespace voxcc
