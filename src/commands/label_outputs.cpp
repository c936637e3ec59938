#include "src/commands/label_outputs.h"

#include "src/commands/bids_dataset.h"
#include "src/errors/program_error.h"
#include "src/pipeline/input.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/preview_sheet.h"
#include "src/pipeline/sidecar.h"
#include "src/report/volume_names.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace voxcc {
namespace {

/// Same as jobs_for(), but empty if the function throws an Error. The error is reported when the input is processed.
std::vector<VolumeJob> jobs_if_readable(const BatchInput& input, const LabelOptions& options) {
    try {
        return jobs_for(input, options);
    } catch (const Error&) {
        return {};
    }
}

/// Whether a folder lies in the BIDS dataset that is written.
bool is_in_dataset(const LabelOptions& options, const std::string& folder) {
    if (options.bids == LabelOptions::Bids::none) return false;
    return (std::filesystem::path(folder) / "").string().starts_with((std::filesystem::path(options.bids_folder) / "").string());
}

/// Whether a missing folder of an output is made. The folders in a BIDS dataset always are, but not the folder that contains the dataset.
bool makes_folder(const LabelOptions& options, const std::string& folder) {
    std::error_code unknown;
    return options.folders == LabelOptions::Folders::make ||
           (is_in_dataset(options, folder) && std::filesystem::exists(io::folder_for(options.bids_folder), unknown));
}

/// Checks that no folder from a BIDS dataset to a folder in it is a symbolic link, which could lead to another dataset.
void require_no_links(const LabelOptions& options, const std::string& folder) {
    std::filesystem::path path(options.bids_folder);
    std::error_code unknown;
    for (const std::filesystem::path& name : std::filesystem::path(folder).lexically_relative(options.bids_folder)) {
        path /= name;
        if (name != "." && std::filesystem::is_symlink(path, unknown))
            throw ProgramError(ErrorKind::cannot_create, path.string(), "is a symbolic link in the dataset that is written",
                               "replace the link by a folder, or name another dataset with -o");
    }
}

bool has_number(const std::string& path) { return path.find("{volume}") != std::string::npos; }

/// Checks the outputs of several volumes without a number in their names: files that hold all volumes.
void check_series(const LabelOptions& o, const BatchInput& input, std::size_t volumes) {
    for (const auto& [content, name] : volume_paths(o)) {
        const std::string path = expand(name, input, std::nullopt);
        if (has_number(path) || io::holds_several_volumes(path)) continue;
        throw ProgramError(ErrorKind::invalid_argument, option_of(content),
                           "'" + path + "' holds one volume, but there are " + std::to_string(volumes) + " volumes",
                           "use {volume}, as in out_{volume}.nii.gz, or a file such as out.nii.gz");
    }
}

bool has_common_sheet(const LabelOptions& o) { return !o.preview.empty() && is_common_output(o.preview, o); }

/// Whether --preview names a picture with a tile per volume of one input.
bool has_own_sheet(const LabelOptions& o, std::size_t volumes) {
    return !o.preview.empty() && volumes > 1 && !has_number(o.preview) && !has_common_sheet(o);
}

/// The files of the picture with a tile per volume. Empty if --preview names another kind of picture.
std::vector<std::string> own_sheet(const LabelOptions& o, const BatchInput& input, std::size_t volumes) {
    if (!has_own_sheet(o, volumes)) return {};
    return preview::sheet_names(expand(o.preview, input, std::nullopt), volumes);
}

/// Refuses {volume} for an input whose volume has no number.
void require_no_number(const std::string& input, const LabelOptions& o) {
    for (const auto& [option, path] : outputs_per_volume(o))
        if (has_number(path))
            throw ProgramError(ErrorKind::invalid_argument, input,
                               "has one volume without a number, but '" + path + "' of " + option + " contains {volume}",
                               "use {stem} for this input");
}

}  // namespace

std::string sidecar_of(const std::string& table, const LabelOptions& options) {
    return options.sidecar == Sidecar::none || table.empty() ? "" : sidecar_path(table);
}

std::vector<VolumeJob> jobs_for(const BatchInput& input, const LabelOptions& o) {
    const ChosenVolumes chosen = choose_volumes(input.name, o.input);
    const bool several = chosen.volumes.size() > 1;
    if (several) check_series(o, input, chosen.volumes.size());
    const FilesBeside beside = files_beside(o, input);
    const bool in_sheet = has_common_sheet(o) || has_own_sheet(o, chosen.volumes.size());
    std::vector<VolumeJob> jobs;
    for (const ChosenVolume& image : chosen.volumes) {
        if (!image.open.volume) require_no_number(input.name, o);
        const auto listed = chosen.form == ChosenVolumes::Form::list ? image.open.volume : std::nullopt;
        const std::string preview = in_sheet ? "" : expand(o.preview, input, image.open.volume);
        VolumeJob job{.input = input.name, .image = image, .volume = listed, .volumes = {}, .preview = preview};
        if (in_sheet) job.tile = VolumeJob::Tile::draw;
        job.beside = beside;
        job.cells = input.cells;
        job.place = std::int64_t(jobs.size());
        for (const auto& [content, path] : volume_paths(o))
            (several && !has_number(path) ? job.series : job.volumes)[content] = expand(path, input, image.open.volume);
        jobs.push_back(std::move(job));
    }
    return jobs;
}

InputTask task_for(const BatchInput& input, const LabelOptions& o) {
    const auto own = [&](const std::string& path) { return is_common_output(path, o) ? "" : expand(path, input, std::nullopt); };
    const std::string table = own(o.stats);
    InputTask task{input, jobs_for(input, o), table, sidecar_of(table, o), own(o.json), own(o.lut), {}, {}};
    for (const SideTable side : side_tables) task.side_tables[side] = own(path_of(side, o));
    task.sheet = own_sheet(o, input, task.jobs.size());
    return task;
}

std::map<std::string, io::Content> InputTask::volumes() const {
    std::map<std::string, io::Content> files;
    for (const VolumeJob& job : jobs)
        for (const auto& [content, path] : job.all_volumes()) files.emplace(path, content);
    return files;
}

std::vector<std::string> InputTask::texts() const {
    std::vector<std::string> paths{stats, sidecar, json, lut};
    for (const auto& [table, path] : side_tables) paths.push_back(path);
    paths.insert(paths.end(), sheet.begin(), sheet.end());
    return paths;
}

std::vector<std::string> outputs_of(const InputTask& task, const LabelOptions& o) {
    std::vector<std::string> files;
    for (const auto& [path, content] : task.volumes())
        std::ranges::copy(io::files_of_label_volume(path, o.compress, content), std::back_inserter(files));
    for (const VolumeJob& job : task.jobs)
        if (!job.preview.empty()) files.push_back(job.preview);
    for (const std::string& path : task.texts())
        if (!path.empty() && path != task.json) files.push_back(path);
    return files;
}

void check_outputs_of(const InputTask& task, const LabelOptions& options, const io::OutputFiles& outputs) {
    for (const std::string& path : task.texts())
        if (!path.empty() && path != "-") outputs.check(path);
    for (const auto& [path, content] : task.volumes()) io::check_label_output(path, options.compress, outputs, content);
    for (const VolumeJob& job : task.jobs)
        if (!job.preview.empty()) outputs.check(job.preview);
}

OutputPaths output_paths(const LabelOptions& options) {
    OutputPaths paths;
    paths.others.insert(bids_description(options));
    paths.others.insert({options.summary, options.failed});
    for (const BatchInput& input : options.inputs) {
        const std::string table = expand(options.stats, input, std::nullopt);
        for (const std::string& path :
             {table, sidecar_of(table, options), expand(options.json, input, std::nullopt), expand(options.lut, input, std::nullopt)})
            paths.others.insert(path);
        for (const SideTable side : side_tables) paths.others.insert(expand(path_of(side, options), input, std::nullopt));
        const std::vector<VolumeJob> jobs = jobs_if_readable(input, options);
        for (const VolumeJob& job : jobs) {
            paths.others.insert(job.preview);
            for (const auto& [content, path] : job.all_volumes()) paths.volumes.emplace(path, content);
        }
        for (const std::string& path : own_sheet(options, input, jobs.size())) paths.others.insert(path);
        paths.tiles += std::max<std::size_t>(1, jobs.size());  // an input that fails has one tile
    }
    if (has_common_sheet(options)) paths.sheet = preview::sheet_names(options.preview, paths.tiles);
    else paths.tiles = 0;
    paths.others.insert(paths.sheet.begin(), paths.sheet.end());
    for (const char* none : {"", "-"}) paths.others.erase(none);
    return paths;
}

std::vector<std::string> tile_names(const std::vector<BatchInput>& inputs) {
    std::vector<report::TableVolume> volumes(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) volumes[i].file = inputs[i].name;
    std::vector<std::string> names;
    for (const report::VolumeName& name : report::names_of(volumes)) names.push_back(name.anchor);
    return names;
}

std::int64_t bytes_of_tiles(const InputTask& task, std::size_t tiles) {
    const std::size_t of_input = task.jobs.front().tile == VolumeJob::Tile::draw ? task.jobs.size() : 0;
    return preview::bytes_of_tiles(std::min(tiles, preview::tiles_per_sheet) + of_input);
}

LabelOptions options_for(const LabelOptions& without_inputs, const InputTask& task, std::size_t tiles) {
    LabelOptions own = options_for(without_inputs, task.input);
    if (own.max_memory) own.max_memory = std::max<std::int64_t>(1, *own.max_memory - bytes_of_tiles(task, tiles));
    return own;
}

void prepare_folders(const LabelOptions& options, const OutputPaths& paths, io::NewFolders& made) {
    std::set<std::string> folders;
    for (const auto& [path, content] : paths.volumes)
        if (!io::is_stdout(path)) folders.insert(io::folder_of_label_volume(path));
    for (const std::string& path : paths.others) folders.insert(io::folder_for(path));
    for (const std::string& folder : folders) {
        std::error_code unknown;
        if (is_in_dataset(options, folder)) require_no_links(options, folder);
        if (makes_folder(options, folder)) made.make_with_parents(folder);
        else if (!std::filesystem::exists(folder, unknown) && !unknown)
            throw ProgramError(ErrorKind::cannot_create, folder, "the output folder does not exist", "make the folder, or add --mkdir");
        io::check_folder(folder);
    }
}

void refuse_inputs_as_outputs(const LabelOptions& options, const OutputPaths& paths, const io::OutputFiles& outputs) {
    for (const std::string& path : paths.others) outputs.refuse_input(path);
    for (const auto& [path, content] : paths.volumes)
        for (const std::string& file : io::files_of_label_volume(path, options.compress, content)) outputs.refuse_input(file);
}

}  // namespace voxcc
