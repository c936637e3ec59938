// Checks the first words of the command line before CLI11 parses it.
#pragma once
#include <string>
#include <vector>

namespace voxcc::cli {

/// Replaces "voxcc COMMAND help" by "voxcc COMMAND --help", unless a file with the name "help" exists.
/// @param arguments argv, including the name of the program
/// @param commands the names of all commands
/// @throw Error invalid_argument if the first word is the name of a file, existing or with the extension of a volume, and not a command
// {"voxcc", "label", "help"} -> {"voxcc", "label", "--help"}
std::vector<std::string> with_checked_first_words(std::vector<std::string> arguments, const std::vector<std::string>& commands);

}  // namespace voxcc::cli
