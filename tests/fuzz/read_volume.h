// Reads a file as the program does, and checks that all ways to read it agree.
#pragma once
#include "io/io.h"

#include <cstddef>
#include <string>
#include <vector>

namespace voxcc::fuzz {

/// Whether all ways to read the same voxels must give the same result. Answers of a hostile child process can differ.
enum class Agreement { required, ignored };

/// Describes the file, opens its first volume and reads it. Volumes above a few MiB are read in part.
/// Ends the process if two ways to read the same voxels differ.
/// @throw Error as open_volume() and VolumeReader::read_rows()
void read_as_program(const std::string& path, const io::OpenOptions& options = {.volume = 0}, Agreement agreement = Agreement::required);

}  // namespace voxcc::fuzz
