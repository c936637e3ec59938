// Reads the summary of a run that `voxcc label --json` has written.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace voxcc::report {

/// A volume of a run.
struct RunVolume {
    std::string input;
    std::optional<std::int64_t> volume;  // the number of a volume of a 4D file
    std::optional<std::uint64_t> components, foreground, voxels;
};

struct RunSummary {
    nlohmann::ordered_json shown;    // what the page shows; long lists are limited
    std::vector<RunVolume> volumes;  // in the order of the run, also without components: a table does not mention those
};

/// @throw Error missing_file, no_permission, io_error; invalid_file if the file is not such a summary
RunSummary read_run_summary(const std::string& path);

}  // namespace voxcc::report
