// The records of ZIP archives that are written, always with the fields of zip64.
#pragma once
#include "io/codecs/zip/zip_directory.h"

#include <span>

namespace voxcc::io::zip {

/// @param member its offset is not used
std::string local_header(const ZipMember& member);

/// The directory, and the records after it.
/// @param directory_at byte offset of the directory @param comment of the archive; at most 65,535 bytes
std::string directory_of(std::span<const ZipMember> members, std::int64_t directory_at, std::string_view comment = {});

}  // namespace voxcc::io::zip
