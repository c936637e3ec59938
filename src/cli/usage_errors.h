// Errors of the command line: options that are unknown, mistyped or incomplete. The remedies help users of other programs.
#pragma once
#include "src/errors/program_error.h"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace voxcc::cli {

/// @param command null for the program itself
/// @return the command that prints the help, in quotes
// label  ->  "'voxcc label --help'"
std::string help_of(const CLI::App* command);

/// Refuses arguments that are meant as options but have a wrong dash: a long option with one dash, and a dash of a word processor. An
/// argument that is the name of a file is accepted.
/// @param arguments argv, including the name of the program
/// @throw Error invalid_argument
// "-connectivity", "–o"  ->  use "--connectivity", "-o"
void refuse_wrong_dashes(const CLI::App& program, const std::vector<std::string>& arguments);

/// Refuses the arguments of the program that CLI11 has not used: an unknown command, or an option before the command.
/// @param command the chosen command, or null
/// @throw Error invalid_argument
void refuse_extras_of_program(const CLI::App& program, const CLI::App* command);

/// Refuses the arguments of a command that CLI11 has not used. @throw Error invalid_argument
void refuse_extras_of_command(const CLI::App& command);

/// Converts an error of CLI11.
/// @param command the chosen command, or null
/// @param arguments argv, including the name of the program
ProgramError usage_error(const CLI::ParseError& error, const CLI::App* command, const std::vector<std::string>& arguments);

}  // namespace voxcc::cli
