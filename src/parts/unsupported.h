// The options of `voxcc label` that a labelling in parts does not support.
#pragma once
#include "src/cli/options.h"

namespace voxcc::parts {

/// @throw ProgramError invalid_argument, which states the option and the reason
void refuse_unsupported(const SplitOptions& options);

}  // namespace voxcc::parts
