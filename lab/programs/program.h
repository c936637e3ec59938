// The command line of the benchmark programs: options, usage text, error messages and exit codes. main() calls run_program().
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace voxcc::bench {

/// An option with a value, or without one if metavar is empty.
struct ProgramOption {
    std::string name, metavar, help;
    std::function<void(const std::string& text)> assign;  // @throw Error invalid_argument if the text is not a valid value
};

struct Program {
    std::string name;
    std::string purpose;                 // sentences for the usage text; may have several lines
    std::vector<std::string> arguments;  // names of the arguments without an option; "[NAME]" can be left out, and must be last
    std::vector<ProgramOption> options;
    std::function<void(const std::vector<std::string>& arguments)> run;
};

/// Assigns the options, and runs the program. Prints the usage text in place of a run if --help is the only argument. Errors become one
/// line on stderr.
/// @return the exit code of the process: an exit code of `voxcc` (docs/manual/checks.md)
int run_program(const Program& program, int argc, char** argv);

}  // namespace voxcc::bench
