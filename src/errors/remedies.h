// Turns errors into messages: adds the exit code and the remedy, and replaces names of fields by names of options.
#pragma once
#include <voxcc/error.h>

#include "src/errors/exit_codes.h"

namespace voxcc {

/// An error as the program reports it.
struct ErrorMessage {
    ExitCode exit = ExitCode::internal;
    std::string subject, cause;
    std::string remedy;  // what the user can type or do; never empty

    /// @return "SUBJECT: cause; remedy"
    std::string text() const;
};

/// @return the exit code for errors of this kind
ExitCode exit_code_of(ErrorKind kind);

/// The message for an error of the library or a ProgramError. An error without a remedy of its own gets one that follows from its kind.
/// @param help the command that prints the help for the options of the run, in quotes
// {no_device, "device cuda", "this build has no CUDA back end"}
//   ->  {69, "--device cuda", "this build has no CUDA back end", "use --device cpu or auto"}
ErrorMessage message_of(const Error& error, const std::string& help = "'voxcc --help'");

}  // namespace voxcc
