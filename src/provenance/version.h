// The version of this build.
#pragma once
#include <string>

namespace voxcc {

/// "0.1.0+abcdef0123"; "0.1.0" if the commit was not known at build time.
std::string version();

/// The output of `voxcc --version`: version(), the instruction sets of the processor, what restricts the processes that parse files,
/// and one line per library.
std::string version_text();

}  // namespace voxcc
