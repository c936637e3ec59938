// A folder in memory for the files of a fuzz target. The readers take file names.
#pragma once
#include "tests/fuzz/target.h"

#include <string>

namespace voxcc::fuzz {

/// @return path of a file in the folder of this process. The folder is below VOXCC_FUZZ_FOLDER, else below /dev/shm; it is removed at exit.
std::string scratch(const std::string& name);

/// Writes a file of the folder. @return its path
std::string put_scratch(const std::string& name, Input content);

}  // namespace voxcc::fuzz
