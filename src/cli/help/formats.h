// The formats of the help. Each function returns the complete text of a file.
#pragma once
#include "src/cli/help/page.h"

namespace voxcc::cli {

/// What a writer of a page about the program needs: the page of the program and the pages of the commands.
struct HelpBook {
    HelpPage program;
    std::vector<HelpPage> commands;
};

/// The help screen of --help: all options, at most 80 columns.
std::string screen_of_command(const HelpPage& page);
std::string screen_of_program(const HelpBook& book);

/// The short help of -h: the daily options or commands, at most 24 lines of 80 columns.
std::string short_screen_of_command(const HelpPage& page);
std::string short_screen_of_program(const HelpBook& book);

/// The page docs/reference/cli/COMMAND.md, and the index docs/reference/cli/README.md.
std::string markdown_of_command(const HelpPage& page);
std::string markdown_of_program(const HelpBook& book);

/// The tables of the columns, by sections of docs/reference/columns.md.
std::string markdown_of_columns();

/// The table of the formats of volumes, in docs/reference/formats.md.
std::string markdown_of_volume_formats();

/// The manual page voxcc-COMMAND(1) or voxcc(1), in the man macros of troff. @param version "0.1.0"
std::string man_of_command(const HelpPage& page, const std::string& version);
std::string man_of_program(const HelpBook& book, const std::string& version);

/// The options, examples and exit codes of one command, or of the program and all commands. @param version "0.1.0"
std::string json_of_command(const HelpPage& page, const std::string& version);
std::string json_of_program(const HelpBook& book, const std::string& version);

/// Scripts that complete the commands, options and values of voxcc in a shell.
std::string bash_completion(const HelpBook& book);
std::string zsh_completion(const HelpBook& book);
std::string fish_completion(const HelpBook& book);

}  // namespace voxcc::cli
