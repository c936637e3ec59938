// A reader in a child process. On some broken files GDCM and ITK abort (assertions in GDCM, VNL on NaN), which cannot be caught. Only the
// child process ends then, and its output is discarded.
#pragma once
#include "io/process/child_process.h"

namespace voxcc::io {

/// Opens a reader in a child process. If the library crashes, the request is repeated once in a second child process.
/// @param path named in errors
/// @param limits hold for `open`. A request also gets one second per 16 MiB of voxels of the file
/// @param copies memory for a request, beside limits.memory, in copies of all voxels of the file
/// @param open creates the reader; runs in the child process, as do all calls of the reader. It must not refer to variables that end before
/// the reader
/// @throw Error as `open`; about the content if the process crashes or exceeds its time; io_error, out_of_memory if it cannot be started
std::unique_ptr<VolumeReader> open_isolated(const std::string& path, const ChildLimits& limits, const ChildInputs& inputs, int copies,
                                            std::function<std::unique_ptr<VolumeReader>()> open);

}  // namespace voxcc::io
