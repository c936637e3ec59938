#include "src/commands/label_outputs.h"

#include "src/commands/bids_dataset.h"
#include "src/messages/program_error.h"
#include "src/pipeline/input.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/sidecar.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace voxcc {
namespace {

/// Same as jobs_for(), but empty if the function throws an Error. The error is reported when the input is processed.
std::vector<VolumeJob> jobs_if_readable(const std::string& input, const LabelOptions& options) {
    try {
        return jobs_for(input, options);
    } catch (const Error&) {
        return {};
    }
}

/// Whether a missing folder of an output is made. The folders in a BIDS dataset always are, but not the folder that contains the dataset.
bool makes_folder(const LabelOptions& options, const std::string& folder) {
    if (options.folders == LabelOptions::Folders::make) return true;
    if (options.bids == LabelOptions::Bids::none) return false;
    const bool is_inside =
        (std::filesystem::path(folder) / "").string().starts_with((std::filesystem::path(options.bids_folder) / "").string());
    std::error_code unknown;
    return is_inside && std::filesystem::exists(io::folder_for(options.bids_folder), unknown);
}

}  // namespace

std::string sidecar_of(const std::string& table, const LabelOptions& options) {
    return options.sidecar == Sidecar::none || table.empty() ? "" : sidecar_path(table);
}

std::vector<VolumeJob> jobs_for(const std::string& input, const LabelOptions& o) {
    const ChosenVolumes chosen = choose_volumes(input, o.input);
    std::vector<VolumeJob> jobs;
    for (const ChosenVolume& image : chosen.volumes) {
        const auto listed = chosen.form == ChosenVolumes::Form::list ? image.open.volume : std::nullopt;
        VolumeJob job{input, image, listed, volume_paths(o), expand(o.preview, input, image.open.volume)};
        for (auto& [content, path] : job.volumes) path = expand(path, input, image.open.volume);
        jobs.push_back(std::move(job));
    }
    for (const auto& [option, path] : outputs_per_volume(o))
        if (jobs.size() > 1 && path.find("{volume}") == std::string::npos)
            throw ProgramError(ErrorKind::invalid_argument, option,
                               "'" + path + "' is a single file, but there are " + std::to_string(jobs.size()) + " volumes",
                               "use {volume}, as in out_{volume}" + std::string(option == "--preview" ? ".png" : ".nii.gz"));
    return jobs;
}

InputTask task_for(const std::string& input, const LabelOptions& o) {
    const auto own = [&](const std::string& path) { return is_common_output(path, o) ? "" : expand(path, input, std::nullopt); };
    const std::string table = own(o.stats);
    InputTask task{input, jobs_for(input, o), table, sidecar_of(table, o), own(o.json), own(o.lut), {}};
    for (const SideTable side : side_tables) task.side_tables[side] = own(path_of(side, o));
    return task;
}

std::vector<std::string> InputTask::texts() const {
    std::vector<std::string> paths{stats, sidecar, json, lut};
    for (const auto& [table, path] : side_tables) paths.push_back(path);
    return paths;
}

std::vector<std::string> outputs_of(const InputTask& task, const LabelOptions& o) {
    std::vector<std::string> files;
    for (const VolumeJob& job : task.jobs) {
        for (const auto& [content, path] : job.volumes)
            std::ranges::copy(io::files_of_label_volume(path, o.compress, content), std::back_inserter(files));
        if (!job.preview.empty()) files.push_back(job.preview);
    }
    for (const std::string& path : task.texts())
        if (!path.empty() && path != task.json) files.push_back(path);
    return files;
}

OutputPaths output_paths(const LabelOptions& options, const std::vector<std::string>& inputs) {
    OutputPaths paths;
    paths.others.insert(bids_description(options));
    for (const std::string& input : inputs) {
        const std::string table = expand(options.stats, input, std::nullopt);
        for (const std::string& path :
             {table, sidecar_of(table, options), expand(options.json, input, std::nullopt), expand(options.lut, input, std::nullopt)})
            paths.others.insert(path);
        for (const SideTable side : side_tables) paths.others.insert(expand(path_of(side, options), input, std::nullopt));
        for (const VolumeJob& job : jobs_if_readable(input, options)) {
            paths.others.insert(job.preview);
            for (const auto& [content, path] : job.volumes) paths.volumes.emplace(path, content);
        }
    }
    for (const char* none : {"", "-"}) paths.others.erase(none);
    return paths;
}

void prepare_folders(const LabelOptions& options, const OutputPaths& paths, io::NewFolders& made) {
    std::set<std::string> folders;
    for (const auto& [path, content] : paths.volumes)
        if (!io::is_stdout(path)) folders.insert(io::folder_for(path));
    for (const std::string& path : paths.others) folders.insert(io::folder_for(path));
    for (const std::string& folder : folders) {
        std::error_code unknown;
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
