// A reader in a process of its own. GDCM and ITK abort on some broken files (assertions of GDCM, VNL on NaN), which no catch can hold;
// there the process that dies is not ours, and what they print goes nowhere.
#pragma once
#include "io/io.h"

#include <functional>

namespace voxcc::io {

/// @param path named in errors
/// @param open makes the reader; called in the new process, as are all calls of that reader
/// @throw Error as `open` does; bad_data if the process dies; internal, out_of_memory if there can be none
std::unique_ptr<VolumeReader> open_isolated(const std::string& path, const std::function<std::unique_ptr<VolumeReader>()>& open);

}  // namespace voxcc::io
