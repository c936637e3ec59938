// Options that the command line left open: first from the environment, then from a configuration file.
#pragma once
#include <CLI/App.hpp>
#include <string>

namespace voxcc::cli {

/// VOXCC_MIN_SIZE gives --min-size, and so on; an empty variable counts as not set.
/// @throw Error bad_configuration naming the variable
void apply_environment(CLI::App& command);

/// TOML: the long names of the command's options as keys, at the top or in a section with the command's name.
/// @throw Error bad_configuration naming file and key; missing_file, no_permission
void apply_config(CLI::App& command, const std::string& path);

}  // namespace voxcc::cli
