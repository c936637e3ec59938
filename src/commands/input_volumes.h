// Labels the volumes of one input, one after the other or side by side.
#pragma once
#include "src/pipeline/pipeline.h"

namespace voxcc {

/// Labels the volumes and writes their outputs, also the files that hold all volumes. If the type of such a file depends on the results of
/// all volumes, each volume is labelled twice: first to measure it, then to write it. So only the volumes that are processed at the same
/// time are in memory.
/// @param jobs at least one; of one input
/// @return the results, in the order of the jobs
/// @throw the exceptions of label_volume(), of the first volume that fails
std::vector<LabelledVolume> label_volumes(const std::vector<VolumeJob>& jobs, RunContext& context);

}  // namespace voxcc
