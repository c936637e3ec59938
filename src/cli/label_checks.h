// Which combinations of label's options make sense, before any file is looked at.
#pragma once
#include "src/cli/values.h"

namespace voxcc {

/// "auto" or a row of the registry. @throw Error invalid_argument naming the nearest row
std::string parse_algorithm(const Argument& argument);

/// @throw Error invalid_argument
void check_label_options(const LabelOptions& options);

}  // namespace voxcc
