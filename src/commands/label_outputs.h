// Lists the outputs of a run of `voxcc label`, and checks them before any volume is read.
#pragma once
#include "src/commands/side_table_writers.h"
#include "src/pipeline/pipeline.h"

#include <set>

namespace voxcc {

/// The volumes of one input, with the names of their outputs. Opens the input only if it must be described to choose the volumes.
/// @throw Error invalid_argument if several volumes would have the same output; the exceptions of choose_volumes()
std::vector<VolumeJob> jobs_for(const BatchInput& input, const LabelOptions& options);

/// One input of a run, and the names of its own outputs. The name of an output that does not exist, or that all inputs share, is empty.
struct InputTask {
    BatchInput input;
    std::vector<VolumeJob> jobs;
    std::string stats, sidecar, json, lut;
    SideTablePaths side_tables;
    std::vector<std::string> sheet;  // the files of --preview, if they have a tile per volume of this input
    /// The files of volumes, of one or of all volumes of the input.
    std::map<std::string, io::Content> volumes() const;
    /// The paths of all tables, of the summary, of the label colours and of the sheet; some may be empty.
    std::vector<std::string> texts() const;
};

/// @throw the exceptions of jobs_for()
InputTask task_for(const BatchInput& input, const LabelOptions& options);

/// The path of the sidecar of a table; empty without --sidecar, and for an empty path.
std::string sidecar_of(const std::string& table, const LabelOptions& options);

/// The files that are written for a task, except the summary. Of numbered slices, whose number is not known, the existing slices.
std::vector<std::string> outputs_of(const InputTask& task, const LabelOptions& options);

/// Checks, before labelling, whether all outputs of a task can be written. @throw Error as OutputFiles::check(), io::check_label_output()
void check_outputs_of(const InputTask& task, const LabelOptions& options, const io::OutputFiles& outputs);

/// The outputs of all inputs of a run. If jobs_for() fails for an input, its volumes and previews are left out.
struct OutputPaths {
    std::map<std::string, io::Content> volumes;
    std::set<std::string> others;    // tables, sidecars, summary, previews, label colours
    std::vector<std::string> sheet;  // the files of --preview, if they have a tile per volume of all inputs; also in `others`
    std::size_t tiles = 0;           // of this sheet
};
OutputPaths output_paths(const LabelOptions& options);

/// The names of inputs in a picture with tiles: each without folders and extension, with as many folders as distinguish the inputs.
// {"a/scan.nii.gz", "b/scan.nii.gz"} -> {"a/scan", "b/scan"}
std::vector<std::string> tile_names(const std::vector<BatchInput>& inputs);

/// The memory of the tiles of --preview that exist while an input is processed. @param tiles of the sheet of all inputs
std::int64_t bytes_of_tiles(const InputTask& task, std::size_t tiles);

/// The options of one input, see options_for(). --max-memory is less by bytes_of_tiles().
/// @param without_inputs the options of the run without its inputs
LabelOptions options_for(const LabelOptions& without_inputs, const InputTask& task, std::size_t tiles);

/// Checks the folders of all outputs. With --mkdir, makes the folders that are missing.
/// @param made receives the new folders
/// @throw Error cannot_create, no_permission
void prepare_folders(const LabelOptions& options, const OutputPaths& paths, io::NewFolders& made);

/// Checks that no output is a file that the run reads. @param outputs holds the list of these files. @throw Error cannot_create
void refuse_inputs_as_outputs(const LabelOptions& options, const OutputPaths& paths, const io::OutputFiles& outputs);

}  // namespace voxcc
