// Which outputs a run of `voxcc label` has, and which of them are refused before any volume is read.
#pragma once
#include "src/pipeline/pipeline.h"

#include <set>

namespace voxcc {

/// The volumes of one input, with the names of their outputs.
/// @throw Error invalid_argument if several volumes would share one output; as io::describe_volume
std::vector<VolumeJob> jobs_for(const std::string& input, const LabelOptions& options);

/// The outputs of a run, those of all inputs together. Of inputs that cannot be opened: those whose names are known.
struct OutputPaths {
    std::set<std::string> label_volumes;
    std::set<std::string> others;  // tables, summary, previews
};
OutputPaths output_paths(const LabelOptions& options, const std::vector<std::string>& inputs);

/// Checks the folders of all outputs, or makes them with --mkdir. @throw Error cannot_create, no_permission
void prepare_folders(const LabelOptions& options, const OutputPaths& paths, io::NewFolders& made);

/// Compares all outputs with all files that the run reads (the inputs of `outputs`). @throw Error cannot_create
void refuse_inputs_as_outputs(const LabelOptions& options, const OutputPaths& paths, const io::OutputFiles& outputs);

}  // namespace voxcc
