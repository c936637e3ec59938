// The text of the help that is not part of an option: descriptions, examples and exit codes of the commands.
#pragma once
#include "src/errors/exit_codes.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::cli {

struct Example {
    std::string purpose;  // "number the components by size, and write a table"
    std::string command;  // one line for a shell, without blanks in quotes; tests/help/examples_test.py runs it
};

/// Who uses a command. The help lists the commands in these groups.
enum class CommandUse { daily, parts, other };

/// An option of the short help.
struct DailyOption {
    std::string name;       // "--output", or an operand: "IN..."
    std::string text = "";  // shorter than the text of the option; empty: the text of the option
};

/// The meaning of exit code 1, which depends on the command.
struct MeaningOfOne {
    std::string word;     // for the line in the help; empty: the command does not return 1
    std::string meaning;  // for the pages
};

/// The prose of one command, or of the program. Text between backticks is code.
struct CommandText {
    std::string name;  // "label"; empty: the program
    CommandUse use = CommandUse::daily;
    std::vector<std::string> description;  // paragraphs
    std::vector<Example> examples;
    std::vector<DailyOption> daily = {};  // what -h shows
    MeaningOfOne code_1 = {};
    std::vector<ExitCode> errors;       // the exit codes in the line of the help
    std::vector<std::string> commands;  // related commands: "stats"
    std::vector<std::string> pages;     // related pages in docs/: "manual/table.md"
};

/// The text of a command. A command without a text gets empty members; tests/help/screens_test.py reports it.
const CommandText& text_of_command(std::string_view name);

struct ExitText {
    ExitCode code;
    std::string_view word;     // for the line in the help
    std::string_view meaning;  // for the pages
};

/// All exit codes except 1, which has a different meaning in each command.
std::span<const ExitText> exit_texts();

/// The exit codes in one line.
// "0 ok, 1 different; error: 64 usage, 65 data"
std::string exit_line(const CommandText& text);

/// A line of the section on environment variables.
struct VariableText {
    std::string_view name, meaning;
};
std::span<const VariableText> variable_texts();

}  // namespace voxcc::cli
