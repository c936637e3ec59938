// The input files of a plan: what `voxcc split` notes about them, and whether they are still the same.
#pragma once
#include "src/parts/plan_file.h"

namespace voxcc::parts {

/// What a plan states about a file. @param info of its volume
PlannedFile planned(const std::string& input, const InputOptions& options, const io::VolumeInfo& info);

/// The options for a mask or an intensity image, which have headers.
InputOptions without_raw(InputOptions options);

/// Opens the image, the mask and the intensity images, and checks that they have one grid. @throw Error as open(), settle_grid()
PlannedInputs open_files(const LabelOptions& options);

}  // namespace voxcc::parts
