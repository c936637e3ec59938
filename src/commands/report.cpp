// `voxcc report`: writes one page with the tables and pictures of a volume or a batch.
#include "src/messages/report.h"
#include "io/files/checked_file.h"
#include "src/commands/overwrite.h"
#include "src/errors/program_error.h"
#include "src/messages/progress.h"
#include "src/messages/text_file.h"
#include "src/pipeline/input.h"
#include "src/pipeline/label_colours.h"
#include "src/provenance/version.h"
#include "src/report/page.h"
#include "src/report/page_data.h"
#include "src/report/picture_reduction.h"
#include "src/report/run_volumes.h"
#include "src/report/volume_files.h"

#include <algorithm>
#include <map>
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

[[noreturn]] void refuse_size(const std::string& cause) {
    throw ProgramError(ErrorKind::unsupported, "report", cause, "make several reports with fewer volumes");
}

void check_number(const std::vector<TableVolume>& volumes) {
    if (volumes.size() > volume_limit) refuse_size("a page holds at most " + std::to_string(volume_limit) + " volumes");
}

/// Reads the summaries of runs. Adds what they state about the volumes, and the volumes without components.
std::vector<Json> read_runs(const std::string& provenance, std::vector<TableVolume>& volumes) {
    std::vector<Json> runs;
    const bool is_batch = std::any_of(volumes.begin(), volumes.end(), [](const TableVolume& volume) { return volume.file.has_value(); });
    std::map<std::string, std::vector<std::size_t>> users;  // path of a summary -> volumes
    for (std::size_t i = 0; i < volumes.size(); ++i) users[report::file_of({"--provenance", provenance}, volumes[i])].push_back(i);
    users.erase("");
    std::vector<report::RunVolume> entries;
    for (const auto& [path, own] : users) {
        report::RunSummary run = report::read_run_summary(path);
        for (const std::size_t volume : own) report::add_counts(run.volumes, volumes[volume]);
        std::ranges::move(run.volumes, std::back_inserter(entries));
        runs.push_back(std::move(run.shown));
    }
    if (is_batch) report::insert_volumes_without_rows(entries, volumes);
    return runs;
}

/// The picture of a volume as JSON, and why it has fewer voxels than the volume.
struct PagePicture {
    Json json;  // null if there is not enough room for a picture
    enum class Reduced : std::uint8_t { no, by_voxels, by_bytes } reduced = Reduced::no;
};

/// Reads a picture of at most picture_voxels voxels, and reduces it until its text has at most `bytes` bytes.
PagePicture picture_of(const TableVolume& volume, const ReportOptions& options, std::size_t bytes, const Reporter& reporter) {
    using enum PagePicture::Reduced;
    if (bytes < least_picture_bytes) return {};
    const report::PictureComponents components = report::picture_components(volume);
    report::PictureFiles files = report::open_files(volume, options);
    const report::Picture full = report::read_picture(files, components, picture_voxels);
    report::warn_of_files(full, volume, files, reporter);
    PagePicture result{report::json_of(full, volume.rows.size()), full.step == std::array<std::int64_t, 3>{1, 1, 1} ? no : by_voxels};
    std::int64_t voxels = full.reduced.voxels();
    for (std::size_t size; (size = result.json.dump().size()) > bytes && voxels > 1; result.reduced = by_bytes) {
        const double share = double(bytes) / double(size);
        const report::Picture smaller = report::reduced(full, components, std::max<std::int64_t>(1, std::int64_t(double(voxels) * share)));
        voxels = smaller.reduced.voxels();
        result.json = report::json_of(smaller, volume.rows.size());
    }
    return result;
}

/// Adds the pictures of all volumes. @param free_bytes size that the pictures may have
void add_pictures(const std::vector<TableVolume>& volumes, const ReportOptions& options, std::size_t free_bytes, Json& data,
                  const Reporter& reporter) {
    using enum PagePicture::Reduced;
    ProgressBar progress(options.messages);
    std::set<PagePicture::Reduced> reduced;
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        PagePicture picture = picture_of(volumes[i], options, free_bytes / (volumes.size() - i), reporter);
        if (picture.json.is_null()) {
            data["notes"].push_back("The page has no room for the pictures of all volumes. Make several reports with fewer volumes.");
            break;
        }
        reduced.insert(picture.reduced);
        free_bytes -= std::min(free_bytes, picture.json.dump().size());
        data["volumes"][i]["picture"] = std::move(picture.json);
        progress.update("pictures", std::int64_t(i) + 1, std::int64_t(volumes.size()));
    }
    if (reduced.contains(by_voxels)) reporter.note("the pictures have fewer voxels than the volumes, at most 8 million each");
    if (reduced.contains(by_bytes)) reporter.note("the pictures have fewer voxels than the volumes, so that the page stays below 20 MB");
}

std::vector<std::string> volume_paths(const std::vector<TableVolume>& volumes, const ReportOptions& options) {
    std::vector<std::string> paths;
    for (const TableVolume& volume : volumes)
        for (const NamedFile& named : report::named_volumes(options)) paths.push_back(report::file_of(named, volume));
    return paths;
}

/// The data of the page without pictures. Removes the rows of `volumes` that the page does not show.
Json data_of(std::vector<TableVolume>& volumes, std::vector<Json> runs) {
    Json data{{"version", version()},
              {"outlier_limit", report::outlier_limit},
              {"outlier_volumes", report::outlier_volumes},
              {"notes", Json::array()},
              {"palette", label_palette()},
              {"volumes", Json::array()},
              {"runs", std::move(runs)}};
    const std::vector<std::size_t> rows = report::shared_rows(volumes, cell_limit);
    const std::vector<report::VolumeName> names = report::names_of(volumes);
    bool limited = false;
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        report::keep_largest(volumes[i], rows[i]);
        limited = limited || volumes[i].rows.size() < volumes[i].sizes.size();
        data["volumes"].push_back(report::json_of(volumes[i], names[i]));
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
    if (!report::named_volumes(options).empty()) add_pictures(volumes, options, page_bytes - used, data, reporter);
    return report::page(title, report::script_text(data));
}

}  // namespace

int run_report(const ReportOptions& options) {
    const Reporter reporter(options.messages);
    std::vector<TableVolume> volumes = report::read_volumes(options.tables, cell_limit / 30);
    check_number(volumes);
    std::vector<Json> runs = read_runs(options.provenance, volumes);
    check_number(volumes);
    report::require_own_files(volumes, options);

    std::vector<std::string> others = options.tables;
    for (const Json& run : runs) others.push_back(run["path"].get<std::string>());
    io::OutputFiles outputs(overwrite_of(options.existing), files_read(volume_paths(volumes, options), others, options.input));
    std::optional<SummaryTable> summary;
    if (!options.summary.empty()) summary = report::summary_of(volumes);
    write_text(options.output, page_of(volumes, std::move(runs), options, reporter), outputs);
    if (summary) summary->write(options.summary, outputs);
    outputs.publish();
    return int(ExitCode::ok);
}

}  // namespace voxcc
