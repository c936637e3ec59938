// The inputs and the options of `voxcc label` that a labelling in parts does not support.
#pragma once
#include "src/options/options.h"

#include <array>

namespace voxcc::parts {

/// The options that refuse_unsupported() refuses, and the options that need one of them. Help pages leave them out.
inline constexpr std::array unsupported_options{"--per-slice",   "--delta",         "--colour",       "--split-signs",
                                                "--percentiles", "--peak-distance", "--local-maxima", "--clear-mask-border",
                                                "--inside"};

/// @throw ProgramError invalid_argument if the path is "-", a pipe or a socket
void refuse_pipe(const std::string& path);

/// @throw ProgramError invalid_argument, which states the option and the reason
void refuse_unsupported(const SplitOptions& options);

}  // namespace voxcc::parts
