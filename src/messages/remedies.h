// Turns errors into messages: adds the exit code and the remedy, and replaces names of fields by names of options.
#pragma once
#include <voxcc/error.h>

#include "src/messages/exit_codes.h"

namespace voxcc {

/// An error as the program reports it.
struct ErrorMessage {
    ExitCode exit = ExitCode::internal;
    std::string subject, cause;
    std::string remedy;  // may be empty

    /// @return "SUBJECT: cause; remedy"
    std::string text() const;
};

/// @return the exit code for errors of this kind
ExitCode exit_code_of(ErrorKind kind);

/// The message for an error of the library or a ProgramError.
// {no_device, "device cuda", "this build has no CUDA back end"}
//   ->  {69, "--device cuda", "this build has no CUDA back end", "use --device cpu or auto"}
ErrorMessage message_of(const Error& error);

}  // namespace voxcc
