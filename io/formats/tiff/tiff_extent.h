// Finds bytes at the end of a TIFF that no structure of the file uses.
#pragma once
#include "io/files/checked_file.h"

namespace voxcc::io {

/// Directories, sub-directories, their values, strips and tiles are structures. At most 31 zeros at the end are padding. Some programs
/// store blocks to which only their own tags or headers lead; nothing is known about the end of such files.
/// @param known_end offset after the last byte that is known to be used
/// @return the number of unused bytes; 0 if all are used, or if it is not known. @throw Error io_error
std::int64_t unused_bytes_at_end(const InputFile& file, std::int64_t known_end);

}  // namespace voxcc::io
