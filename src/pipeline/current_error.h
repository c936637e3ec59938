// Exceptions of any type as a message with an exit code.
#pragma once
#include "src/messages/remedies.h"

#include <string>

namespace voxcc {

/// Must be called in a catch block. An Error becomes its message. Failed allocations, sizes that no allocation can have, and threads or
/// processes that the system refuses become out_of_memory; everything else is a fault of the program (internal).
/// @param subject for errors that do not name one
ErrorMessage current_error(const std::string& subject);

}  // namespace voxcc
