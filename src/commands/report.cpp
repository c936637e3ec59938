// `voxcc report`: writes one page with the tables and pictures of a volume or a batch.
#include "src/messages/report.h"
#include "io/files/checked_file.h"
#include "src/errors/program_error.h"
#include "src/messages/progress.h"
#include "src/pipeline/input.h"
#include "src/provenance/version.h"
#include "src/report/page.h"
#include "src/report/page_data.h"
#include "src/report/run_summary.h"
#include "src/report/volume_files.h"

#include <algorithm>
#include <set>

namespace voxcc {
namespace {

using report::Json;
using report::TableVolume;

// The limits of a page. A cell has about 10 bytes.
constexpr std::size_t page_bytes = 20'000'000;
constexpr std::size_t cell_limit = 700'000;
constexpr std::size_t volume_limit = 1000;
constexpr std::int64_t picture_voxels = 8'000'000;  // per volume, if the page has room for them
constexpr std::size_t least_picture_bytes = 2000;

/// Reads the summaries and adds the volumes without components, which are not in a table with a column `file`.
std::vector<Json> read_runs(const std::string& provenance, std::vector<TableVolume>& volumes) {
    std::vector<Json> runs;
    const bool is_batch = std::any_of(volumes.begin(), volumes.end(), [](const TableVolume& volume) { return volume.file.has_value(); });
    std::set<std::string> paths;
    for (const TableVolume& volume : volumes) paths.insert(report::file_of(provenance, volume, "--provenance"));
    paths.erase("");
    for (const std::string& path : paths) {
        const report::RunSummary run = report::read_run_summary(path);
        runs.push_back(run.shown);
        for (const report::RunVolume& empty : run.without_rows) {
            if (!is_batch) continue;
            TableVolume volume;
            volume.table = volumes.front().table;
            volume.file = empty.input;
            volume.volume = empty.volume;
            volumes.push_back(std::move(volume));
        }
    }
    return runs;
}

/// Reduces the picture of a volume until its text has at most `bytes` bytes. @return null if this is too little for a picture
Json picture_of(const TableVolume& volume, const ReportOptions& options, std::size_t bytes, const Reporter& reporter) {
    const report::PictureComponents components = report::picture_components(volume);
    std::int64_t voxels = std::min(picture_voxels, std::int64_t(bytes) * 3 / 4);
    for (; bytes >= least_picture_bytes; voxels /= 2) {
        report::PictureFiles files = report::open_files(volume, options);
        const report::Picture picture = report::read_picture(files, components, voxels);
        Json json = report::json_of(picture, volume.rows.size());
        if (json.dump().size() > bytes && voxels > 1) continue;
        report::warn_of_files(picture, volume, files, reporter);
        return json;
    }
    return nullptr;
}

/// Adds the pictures of all volumes. @param free_bytes size that the pictures may have
void add_pictures(const std::vector<TableVolume>& volumes, const ReportOptions& options, std::size_t free_bytes, Json& data,
                  const Reporter& reporter) {
    ProgressBar progress(options.messages);
    bool reduced = false;
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        Json picture = picture_of(volumes[i], options, free_bytes / (volumes.size() - i), reporter);
        if (picture.is_null()) {
            data["notes"].push_back("The page has no room for the pictures of all volumes. Make several reports with fewer volumes.");
            break;
        }
        reduced = reduced || picture["step"] != Json::array({1, 1, 1});
        free_bytes -= std::min(free_bytes, picture.dump().size());
        data["volumes"][i]["picture"] = std::move(picture);
        progress.update("pictures", std::int64_t(i) + 1, std::int64_t(volumes.size()));
    }
    if (reduced) reporter.note("the pictures have fewer voxels than the volumes, so that the page stays below 20 MB");
}

std::vector<std::string> volume_paths(const std::vector<TableVolume>& volumes, const ReportOptions& options) {
    std::vector<std::string> paths;
    for (const TableVolume& volume : volumes)
        for (const auto& [option, path] : {std::pair("--images", options.images), std::pair("--labels", options.labels)})
            paths.push_back(report::file_of(path, volume, option));
    return paths;
}

[[noreturn]] void refuse_size(const std::string& cause) {
    throw ProgramError(ErrorKind::unsupported, "report", cause, "make several reports with fewer volumes");
}

/// The data of the page without pictures. Removes the rows of `volumes` that the page does not show.
Json data_of(std::vector<TableVolume>& volumes, std::vector<Json> runs) {
    Json data{{"version", version()},
              {"outlier_limit", report::outlier_limit},
              {"outlier_volumes", report::outlier_volumes},
              {"notes", Json::array()},
              {"volumes", Json::array()},
              {"runs", std::move(runs)}};
    const std::vector<std::size_t> rows = report::shared_rows(volumes, cell_limit);
    bool limited = false;
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        report::keep_largest(volumes[i], rows[i]);
        limited = limited || volumes[i].rows.size() < volumes[i].sizes.size();
        data["volumes"].push_back(report::json_of(volumes[i]));
    }
    if (limited)
        data["notes"].push_back(
            "The lists show only the largest components of some volumes. Counts, totals and plots include all components.");
    report::add_scores(data["volumes"]);
    return data;
}

std::string page_of(std::vector<TableVolume>& volumes, std::vector<Json> runs, const ReportOptions& options, const Reporter& reporter) {
    const std::string title = options.title.empty() ? "Connected components" : options.title;
    Json data = data_of(volumes, std::move(runs));
    const std::size_t used = report::page(title, report::script_text(data)).size();
    if (used > page_bytes) refuse_size("the tables need more than 20 MB");
    if (!options.images.empty() || !options.labels.empty()) add_pictures(volumes, options, page_bytes - used, data, reporter);
    return report::page(title, report::script_text(data));
}

}  // namespace

int run_report(const ReportOptions& options) {
    const Reporter reporter(options.messages);
    std::vector<TableVolume> volumes = report::read_volumes(options.tables, cell_limit / 30);
    std::vector<Json> runs = read_runs(options.provenance, volumes);
    if (volumes.size() > volume_limit) refuse_size("a page holds at most " + std::to_string(volume_limit) + " volumes");
    report::require_own_files(volumes, options);

    std::vector<std::string> others = options.tables;
    for (const Json& run : runs) others.push_back(run["path"].get<std::string>());
    io::OutputFiles outputs(options.existing == LabelOptions::Existing::overwrite ? io::Overwrite::allow : io::Overwrite::refuse,
                            files_read(volume_paths(volumes, options), others, options.input));
    io::OutputFile& file = outputs.create(options.output);
    file.write(page_of(volumes, std::move(runs), options, reporter));
    file.close();
    outputs.publish();
    return int(ExitCode::ok);
}

}  // namespace voxcc
