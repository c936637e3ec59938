// The version of an open file.
#pragma once
#include "io/files/checked_file.h"
#include "io/files/file_identity.h"

namespace voxcc::io {

/// What must be equal for two objects to read the same bytes: a file that was not changed between the times of opening, or a pipe.
struct FileVersion {
    FileIdentity identity;
    std::int64_t bytes = 0, modified_ns = 0;  // size, and time since the epoch; 0 for a pipe
    std::int64_t part_at = 0;                 // byte offset of the part that is read; 0 if the complete file is read
    bool operator==(const FileVersion&) const = default;
};

/// @param part_at see FileVersion @throw Error io_error
FileVersion version_of(const InputFile& file, std::int64_t part_at = 0);

}  // namespace voxcc::io
