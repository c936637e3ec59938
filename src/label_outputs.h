// Which outputs a run of `voxcc label` has, and which of them are refused before any volume is read.
#pragma once
#include "src/pipeline.h"

namespace voxcc {

/// The volumes of one input, with the names of their outputs.
/// @throw Error usage if several volumes would share one output; as io::describe_volume
std::vector<VolumeJob> jobs_for(const std::string& input, const LabelOptions& options);

/// Compares every output of every input with all files that the run reads (the inputs of `outputs`).
/// @throw Error cannot_create
void refuse_inputs_as_outputs(const LabelOptions& options, const std::vector<std::string>& inputs, const io::OutputFiles& outputs);

}  // namespace voxcc
