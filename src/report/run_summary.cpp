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

std::optional<std::uint64_t> count_in(const Json& object, const std::string& name) {
    const Json number = member(object, name);
    return number.is_number_unsigned() ? std::optional(number.get<std::uint64_t>()) : std::nullopt;
}

/// The number of voxels of a volume with three extents whose product is below 2^63.
std::optional<std::uint64_t> voxels_of(const Json& shape) {
    constexpr std::uint64_t limit = std::uint64_t{1} << 63;
    if (!shape.is_array() || shape.size() != 3) return std::nullopt;
    std::uint64_t voxels = 1;
    for (const Json& extent : shape) {
        if (!extent.is_number_unsigned() || extent == 0 || extent.get<std::uint64_t>() >= limit / voxels) return std::nullopt;
        voxels *= extent.get<std::uint64_t>();
    }
    return voxels;
}

std::vector<RunVolume> volumes_of(const Json& run) {
    std::vector<RunVolume> found;
    const Json volumes = member(run, "volumes");
    if (!volumes.is_array()) return found;
    for (const Json& volume : volumes) {
        if (!volume.is_object()) continue;
        const Json number = member(volume, "volume");
        found.push_back({.input = text_in(volume, "input"),
                         .volume = number.is_number_integer() ? std::optional(number.get<std::int64_t>()) : std::nullopt,
                         .components = count_in(volume, "count"),
                         .foreground = count_in(volume, "foreground_voxels"),
                         .voxels = voxels_of(member(volume, "shape"))});
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
    summary.volumes = volumes_of(run);
    return summary;
}

}  // namespace voxcc::report
