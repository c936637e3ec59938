// Sets options that are not given on the command line: first from the environment, then from a configuration file.
#pragma once
#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace voxcc::cli {

/// Sets options from variables such as VOXCC_MIN_SIZE for --min-size. An empty variable counts as not set. A variable VOXCC_* that belongs
/// to no option of any command is an error if its name is similar to the variable of an option.
/// @return warnings of other variables VOXCC_*
/// @throw Error bad_configuration, which names the variable
std::vector<std::string> apply_environment(CLI::App& command);

/// Sets options from a TOML file. Keys are the long names of the options, at the top or in a section with the name of the command.
/// @throw Error bad_configuration, which names the file and the key; missing_file, no_permission
// min-size = "5mm3"
void apply_config(CLI::App& command, const std::string& path);

}  // namespace voxcc::cli
