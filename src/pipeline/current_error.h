// Converts exceptions of any type to a message with an exit code.
#pragma once
#include "src/errors/remedies.h"

#include <string>

namespace voxcc {

/// Converts the current exception. Must be called in a catch block. An Error becomes its message. std::bad_alloc, std::length_error, and
/// the system errors ENOMEM and EAGAIN (a thread cannot be started) become out_of_memory. Other exceptions become internal.
/// @param subject subject of the error if the exception is not an Error
ErrorMessage current_error(const std::string& subject);

}  // namespace voxcc
