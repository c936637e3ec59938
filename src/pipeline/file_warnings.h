// Prints the warnings of a file.
#pragma once
#include "io/io.h"
#include "src/messages/report.h"

#include <set>

namespace voxcc {

/// Prints each warning of one file once, although several readers of the file state it. A reader can add a warning when it reads the last
/// row; report() must then be called again.
class FileWarnings {
public:
    /// @param path the name of the file, as it was typed
    void report(const std::string& path, const io::VolumeInfo& info, const Reporter& reporter) {
        for (const std::string& warning : info.warnings)
            if (reported_.insert(warning).second) reporter.warning(path + ": " + warning);
    }

private:
    std::set<std::string> reported_;
};

}  // namespace voxcc
