// Checks the options of `voxcc label` and their combinations, before any file is opened.
#pragma once
#include "src/cli/values.h"

namespace voxcc {

/// Parses "auto" or the name of an algorithm. @throw Error usage, which names the most similar algorithm
std::string parse_algorithm(const Argument& argument);

/// Checks combinations of options. @throw Error usage
void check_label_options(const LabelOptions& options);

}  // namespace voxcc
