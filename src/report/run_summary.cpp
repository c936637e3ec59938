#include "src/report/run_summary.h"

#include "src/errors/program_error.h"
#include "src/messages/summary_file.h"

namespace voxcc::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t longest_summary = 256 << 20;  // bytes; a summary of 100,000 volumes
constexpr std::size_t longest_list = 1000;           // entries of `inputs` and `failed` on the page

/// Copies the first entries of a list, with the members `names` only, and the number of all entries as NAME_total.
void copy_list(const Json& run, const std::string& name, const std::vector<std::string>& names, Json& shown) {
    const Json list = member(run, name);
    shown[name] = Json::array();
    shown[name + "_total"] = list.is_array() ? list.size() : 0;
    if (!list.is_array()) return;
    for (const Json& entry : list) {
        if (shown[name].size() == longest_list) break;
        Json copy = Json::object();
        for (const std::string& key : names) copy[key] = entry.is_object() ? member(entry, key) : Json();
        shown[name].push_back(std::move(copy));
    }
}

std::vector<RunVolume> volumes_without_rows(const Json& run) {
    std::vector<RunVolume> found;
    const Json volumes = member(run, "volumes");
    if (!volumes.is_array()) return found;
    for (const Json& volume : volumes) {
        if (!volume.is_object() || member(volume, "count") != 0) continue;
        const Json number = member(volume, "volume");
        found.push_back({text_in(volume, "input"), number.is_number_integer() ? std::optional(number.get<std::int64_t>()) : std::nullopt});
    }
    return found;
}

}  // namespace

RunSummary read_run_summary(const std::string& path) {
    const auto read = read_summary(path, longest_summary);
    if (!read)
        throw ProgramError(ErrorKind::invalid_file, path, "is not the summary of a run",
                           "give a file that 'voxcc label --json' has written");
    const Json& run = *read;
    RunSummary summary;
    summary.shown["path"] = path;
    for (const char* name : {"program", "version", "argv", "device", "algorithm", "instructions", "threads", "seconds"})
        if (run.contains(name)) summary.shown[name] = run[name];
    copy_list(run, "inputs", {"path", "bytes", "sha256"}, summary.shown);
    copy_list(run, "failed", {"input", "error"}, summary.shown);
    summary.without_rows = volumes_without_rows(run);
    return summary;
}

}  // namespace voxcc::report
