// The list of the members of a ZIP archive, with zip64.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#pragma once
#include "io/files/checked_file.h"

namespace voxcc::io {

struct ZipMember {
    std::string name;
    int method = 0;              // 0: stored, 8: deflate
    std::uint32_t crc = 0;       // of the decoded bytes
    std::int64_t stored = 0;     // bytes in the archive
    std::int64_t size = 0;       // decoded bytes
    std::int64_t header_at = 0;  // byte offset of the local header
    std::int64_t offset = 0;     // byte offset of the stored bytes
};

/// Limits of what is read, because a directory can state any number.
struct ZipLimits {
    std::int64_t members = 4096, directory_bytes = std::int64_t{1} << 20;
};

/// Reads the list of members, in the order of the archive, and compares it with the local headers. Every member must lie inside the file,
/// and members must not overlap or have the same name. No member may claim more decoded bytes than deflate can store.
/// @throw Error invalid_file, truncated_file, wrong_size; unsupported_file for several volumes, encryption and more members than the limits
std::vector<ZipMember> read_zip_directory(const InputFile& file, const ZipLimits& limits = {});

}  // namespace voxcc::io
