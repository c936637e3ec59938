// Parses the command line and checks the options. Does not run the command.
#pragma once
#include "src/options/options.h"

#include <functional>

namespace voxcc {

struct Command {
    std::function<int()> run;  // returns the exit code
    MessageOptions messages;
};

/// Parses the command line, the environment and the configuration file.
/// @param arguments argv, including the name of the program
/// @throw Error invalid_argument, bad_config; missing_file or no_permission if the configuration file cannot be read
Command parse_command_line(const std::vector<std::string>& arguments);

/// The format of error messages according to --log-format or VOXCC_LOG_FORMAT. Does not parse the other arguments, so that it also works if
/// they are wrong.
LogFormat wanted_log_format(const std::vector<std::string>& arguments);

}  // namespace voxcc
