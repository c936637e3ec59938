// Which options of `voxcc label` change the bytes of its outputs, and their values in one form.
#pragma once
#include "src/options/options.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace voxcc {

/// The decision about one option of `voxcc label`. Every option must have one; a test compares this list with the command.
struct OptionDecision {
    std::string_view name;                        // "min-size"
    std::string (*value)(const LabelOptions&){};  // the value in one form; null if the contents of the outputs do not depend on it
};
std::span<const OptionDecision> option_decisions();

/// The options that change the contents of the outputs, with their values. Equal lists give equal contents for equal inputs. The values do
/// not depend on how an option was set (command line, environment, configuration file), nor on how a threshold was written.
// --threshold 2.50 --invert  ->  {..., {"threshold", ">=2.5"}, {"invert", "yes"}, ...}
std::vector<std::pair<std::string, std::string>> result_options(const LabelOptions& options);

}  // namespace voxcc
