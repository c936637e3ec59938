// Exceptions of any type as an Error with an exit code.
#pragma once
#include <voxcc/error.h>

namespace voxcc {

/// Must be called in a catch block. An Error stays as it is. Failed allocations, sizes that no allocation can have, and threads or
/// processes that the system refuses become out_of_memory; everything else is a fault of the program (internal).
/// @param subject for errors that do not name one
Error current_error(const std::string& subject);

}  // namespace voxcc
