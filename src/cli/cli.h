// The command line: argv in, a checked command out. No work is done here.
#pragma once
#include "src/cli/options.h"

#include <functional>

namespace voxcc {

struct Command {
    std::function<int()> run;  // returns the exit code
    Talk talk;
};

/// @param arguments argv, the program's name first
/// @throw Error invalid_argument, bad_configuration; no_device for a device that this build does not have
Command parse_command_line(const std::vector<std::string>& arguments);

/// How errors are to be printed, as far as it can be told before the command line is understood.
LogFormat wanted_log_format(const std::vector<std::string>& arguments);

}  // namespace voxcc
