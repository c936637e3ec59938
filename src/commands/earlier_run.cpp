#include "src/commands/earlier_run.h"

#include "src/messages/summary_file.h"
#include "src/options/result_options.h"
#include "src/provenance/provenance.h"
#include "src/provenance/version.h"

#include <algorithm>
#include <filesystem>

namespace voxcc {
namespace {

using Json = nlohmann::ordered_json;
using Records = std::vector<FileRecord>;

constexpr std::int64_t longest_summary = 64 << 20;  // bytes; 200,000 slices

/// @return nothing if the value is not a list of records
std::optional<Records> records_in(const Json& list) {
    if (!list.is_array()) return std::nullopt;
    Records records;
    for (const Json& entry : list) {
        const Json bytes = member(entry, "bytes");
        if (!bytes.is_number_integer()) return std::nullopt;
        records.push_back({text_in(entry, "path"), bytes.get<std::int64_t>(), text_in(entry, "sha256")});
    }
    return records;
}

/// The summary that an earlier run has written; nothing if there is none, or if the file is not a summary.
std::optional<Json> summary_of(const std::string& path) {
    try {
        return read_summary(path, longest_summary);
    } catch (const Error&) {  // the file is missing or not readable
        return std::nullopt;
    }
}

/// Whether the summary is about this input only: the same name in the same folder.
bool is_about(const Json& summary, const std::string& input) {
    std::error_code unknown;
    const Json volumes = member(summary, "volumes");
    return volumes.is_array() && !volumes.empty() &&
           text_in(summary, "working_directory") == std::filesystem::current_path(unknown).string() && !unknown &&
           std::ranges::all_of(volumes, [&](const Json& volume) { return text_in(volume, "input") == input; });
}

/// @return the first difference between the run of the summary and this run; empty if they have the same version, options and row of the
/// list of inputs
std::string difference_of_runs(const Json& summary, const LabelOptions& options, const BatchInput& input) {
    if (text_in(summary, "version") != version()) return "the version of voxcc differs";
    const Json earlier = member(summary, "options");
    const auto now = result_options(options);
    for (const auto& [name, value] : now)
        if (member(earlier, name) != value) return "--" + name + " differs";
    if (earlier.size() != now.size()) return "the options differ";
    const Json volumes = member(summary, "volumes"), row = json_of(input.cells);
    const bool same_row = std::ranges::all_of(volumes, [&](const Json& volume) { return member(volume, "row") == row; });
    return same_row ? "" : "the row of the list differs";
}

/// Whether a file has the contents of its record. Reads the file only if the size is equal.
bool is_intact(const FileRecord& record) {
    std::error_code unknown;
    if (std::filesystem::is_directory(record.path, unknown)) return record_of_folder(record.path) == record;
    if (!std::filesystem::is_regular_file(record.path, unknown)) return false;
    return std::int64_t(std::filesystem::file_size(record.path, unknown)) == record.bytes && !unknown && record_of(record.path) == record;
}

/// The outputs of an earlier run on the disk, compared with the names that this run would write.
struct Outputs {
    std::string difference;           // empty if all outputs exist and have the contents of the records
    std::vector<std::string> intact;  // the names of the outputs that do
};

Outputs compare_outputs(const std::vector<std::string>& names, const Records& records) {
    Outputs outputs;
    const auto differs = [&](const std::string& difference) {
        if (outputs.difference.empty()) outputs.difference = difference;
    };
    for (const std::string& name : names) {
        const auto record = std::ranges::find(records, name, &FileRecord::path);
        std::error_code unknown;
        if (!std::filesystem::exists(name, unknown)) differs(name + " does not exist");
        else if (record == records.end()) differs(name + " is not in the summary");
        else if (!is_intact(*record)) differs(name + " has changed");
        else outputs.intact.push_back(name);
    }
    if (names.size() != records.size()) differs("the names of the outputs differ");
    return outputs;
}

}  // namespace

EarlierRun compare_with_earlier_run(const InputTask& task, const LabelOptions& options, ReadRecords& records) {
    EarlierRun run;
    const std::optional<Json> summary = summary_of(task.json);
    const auto written = summary ? records_in(member(*summary, "outputs")) : std::nullopt;
    const auto read = summary ? records_in(member(*summary, "inputs")) : std::nullopt;
    if (!written || !read) {
        run.difference = task.json + " is not a complete summary";
        return run;
    }
    const bool is_same_input = is_about(*summary, task.input.name);
    run.difference = difference_of_runs(*summary, options, task.input);
    if (run.difference.empty() || is_same_input) {
        Outputs outputs = compare_outputs(outputs_of(task, options), *written);
        if (run.difference.empty()) run.difference = outputs.difference;
        if (is_same_input) run.replaceable = std::move(outputs.intact);
        if (is_same_input) run.replaceable.push_back(task.json);
    }
    if (!run.difference.empty()) return run;
    run.read = records.of(records.files_of(task.input));
    if (run.read != *read) run.difference = "a file that is read has changed";
    return run;
}

}  // namespace voxcc
