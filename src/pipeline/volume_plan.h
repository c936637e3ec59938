// The plan of one volume as JSON, without reading its voxels.
#pragma once
#include "src/errors/program_error.h"
#include "src/pipeline/pipeline.h"

#include <nlohmann/json.hpp>

namespace voxcc {

/// The output of --dry-run for one volume.
struct VolumePlan {
    nlohmann::ordered_json json;
    std::optional<ProgramError> refusal;  // out_of_memory, if the volume does not fit
};

/// The plan of one volume. Reads only the headers of its files. @throw Error if they cannot be opened
VolumePlan plan(const LabelOptions& options, const Choice& choice, const VolumeJob& job, int threads, int volumes);

}  // namespace voxcc
