// Which build this is.
#pragma once
#include <string>

namespace voxcc {

/// "0.1.0", or "0.1.0+abc1234" where the build knew its commit
std::string version();

/// version() and a line for each library, as `voxcc --version` prints them
std::string version_text();

}  // namespace voxcc
