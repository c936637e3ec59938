#include "src/commands/bids_dataset.h"

#include "src/errors/program_error.h"
#include "src/messages/summary_file.h"
#include "src/messages/text_file.h"
#include "src/pipeline/bids.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/selector.h"
#include "src/provenance/version.h"

#include <array>
#include <charconv>
#include <map>

namespace voxcc {
namespace {

using Json = nlohmann::ordered_json;
using std::filesystem::path;

constexpr std::int64_t longest_description = 1 << 20;  // bytes
constexpr const char* description_name = "dataset_description.json";
constexpr const char* source_name = "source";  // of the dataset of the inputs in DatasetLinks and in URIs

/// A folder that may not exist, without symbolic links as far as it can be read.
path resolved(const path& folder) {
    std::error_code failure;
    path found = std::filesystem::weakly_canonical(std::filesystem::absolute(folder, failure), failure);
    if (failure) found = folder.lexically_normal();
    return found.has_filename() ? found : found.parent_path();
}

/// The way from the dataset that is written to the dataset of the inputs, as a relative URI.
// --bids -o ds/derivatives/voxcc, inputs in ds -> "../.."
std::string link_to_source(const LabelOptions& options, const BidsFile& input) {
    return uri_path(resolved(input.root).lexically_relative(resolved(options.bids_folder)).string());
}

/// Whether voxcc has written the description of a dataset of labels.
bool is_by_voxcc(const Json& description) {
    const Json programs = member(description, "GeneratedBy");
    const bool is_dataset = !text_in(description, "Name").empty() && !text_in(description, "BIDSVersion").empty();
    return is_dataset && text_in(description, "DatasetType") == "derivative" && programs.is_array() &&
           std::ranges::any_of(programs, [](const Json& program) { return text_in(program, "Name") == "voxcc"; });
}

/// Whether the description of the dataset need not be written, because it exists.
/// @throw Error exists if it cannot stay
bool has_description(const LabelOptions& options, const BidsFile& input) {
    const std::string file = bids_description(options);
    std::error_code unknown;
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, unknown))) return false;
    const auto refuse = [&](const std::string& cause) {
        throw ProgramError(ErrorKind::exists, file, cause, "name another folder with -o; this file is never replaced, also with --force");
    };
    std::optional<Json> description;
    try {
        description = read_json_object(file, longest_description);
    } catch (const Error& error) {
        const bool is_written_again =
            error.kind() == ErrorKind::interrupted_output && options.existing == LabelOptions::Existing::overwrite;
        if (is_written_again) return false;
        throw;
    }
    if (!description || !is_by_voxcc(*description)) refuse("exists, and voxcc has not written it or it is damaged");
    const std::string link = text_in(member(*description, "DatasetLinks"), source_name), now = link_to_source(options, input);
    if (link != now) refuse("states that the inputs are in '" + link + "', but now they are in '" + now + "'");
    return true;
}

/// The DOI of the dataset of an input; empty if its description is missing or does not state one.
std::string doi_of_source(const BidsFile& input) {
    try {
        const auto description = read_json_object((input.root / description_name).string(), longest_description);
        return description ? text_in(*description, "DatasetDOI") : "";
    } catch (const Error&) {  // the dataset is not ours, and its description is not needed
        return "";
    }
}

std::string description_text(const LabelOptions& options, const BidsFile& input) {
    Json json{{"Name", "Connected components"},
              {"BIDSVersion", "1.10.0"},
              {"DatasetType", "derivative"},
              {"GeneratedBy", {{{"Name", "voxcc"}, {"Version", version()}, {"Description", "voxcc label: labels connected components"}}}}};
    if (const std::string doi = doi_of_source(input); !doi.empty()) json["SourceDatasets"] = {{{"DOI", doi}}};
    json["DatasetLinks"] = {{source_name, link_to_source(options, input)}};
    return json.dump(2) + "\n";
}

/// The URI of a file; empty if it is neither in the dataset `source` nor in the dataset that is written.
std::string uri_of(const path& file, const path& source, const LabelOptions& options) {
    const path whole = resolved(file.parent_path()) / file.filename();
    for (const auto& [folder, dataset] : {std::pair(source, source_name), {path(options.bids_folder), ""}}) {
        const std::string inside = whole.lexically_relative(resolved(folder)).string();
        if (!inside.empty() && !inside.starts_with("..")) return "bids:" + std::string(dataset) + ":" + uri_path(inside);
    }
    return "";
}

/// The size of the voxels; empty if the file does not state it.
// "voxels of 1 x 1 x 2.5 mm"
std::string resolution_of(const io::VolumeInfo& info) {
    const auto spacing = spacing_of(info);
    if (!spacing) return "";
    constexpr int significant_digits = 5;
    std::string text;
    for (const double step : *spacing) {
        std::array<char, 32> digits{};
        const auto end =
            std::to_chars(digits.data(), digits.data() + digits.size(), step, std::chars_format::general, significant_digits).ptr;
        text += (text.empty() ? "voxels of " : " x ") + std::string(digits.data(), end);
    }
    return text + " " + stated_unit(info);
}

}  // namespace

std::string bids_description(const LabelOptions& options) {
    return options.bids == LabelOptions::Bids::none ? "" : (path(options.bids_folder) / description_name).string();
}

void check_bids_dataset(const LabelOptions& options) {
    if (options.bids == LabelOptions::Bids::none) return;
    const auto refuse = [](const std::string& input, const std::string& cause, const std::string& remedy) {
        throw ProgramError(ErrorKind::invalid_argument, input, cause, remedy);
    };
    std::map<std::string, std::string> input_of;  // by output
    const BidsFile first = bids_file(options.inputs.front().name);
    if (resolved(first.root) == resolved(options.bids_folder))
        refuse("--output", "'" + options.bids_folder + "' is the dataset of the inputs",
               "name another folder, as in -o " + (path(options.bids_folder) / "derivatives/voxcc").string());
    for (const BatchInput& row : options.inputs) {
        const std::string& input = row.name;
        const BidsFile file = bids_file(input);
        if (chooses_list(input, options.input))
            refuse(input, "several volumes are chosen, but a label volume of BIDS has one",
                   "choose one with --volume N, or with a selector such as [0]");
        if (resolved(file.root) != resolved(first.root))
            refuse(input, "is not in the same dataset as " + options.inputs.front().name,
                   "label each dataset in a run of its own, with another folder for -o");
        const auto [earlier, is_new] = input_of.emplace(bids_stem(input), input);
        if (!is_new)
            refuse(input, "would write '" + expand(options.output, row, std::nullopt) + "', as '" + earlier->second + "' does",
                   "label them in two runs, with another folder for -o");
    }
    has_description(options, first);
}

void write_bids_description(const LabelOptions& options, io::OutputFiles& outputs) {
    if (options.bids == LabelOptions::Bids::none) return;
    const BidsFile input = bids_file(options.inputs.front().name);
    if (has_description(options, input)) return;
    const std::string target = bids_description(options);
    outputs.allow_replacing(target);  // another voxcc can publish the same description before this one does
    write_text(target, description_text(options, input), outputs);
}

LabelVolumeEntry bids_entry(const LabelledVolume& volume, const LabelOptions& options) {
    if (options.bids == LabelOptions::Bids::none) return {};
    const BidsFile input = bids_file(volume.job.input);
    LabelVolumeEntry entry{
        .description = "Labels of connected components, 0 is background.", .sources = {}, .spatial_reference = "orig", .resolution = {}};
    entry.sources.push_back("bids:" + std::string(source_name) + ":" + uri_path(input.path));
    std::vector<std::string> read{volume.job.beside.mask, options.threshold_from};
    for (const IntensityImage& image : volume.job.beside.images) read.push_back(image.path);
    for (const std::string& file : read) {
        const std::string uri = file.empty() ? "" : uri_of(divide_input(file).path, input.root, options);
        if (!uri.empty() && std::ranges::find(entry.sources, uri) == entry.sources.end()) entry.sources.push_back(uri);
    }
    if (input.has("space")) entry.spatial_reference = entry.sources.front();
    if (input.has("res")) entry.resolution = resolution_of(volume.described.info);
    return entry;
}

}  // namespace voxcc
