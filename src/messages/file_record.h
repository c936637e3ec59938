// Size and checksum of a file, for the summary of a run.
#pragma once
#include <cstdint>
#include <string>

namespace voxcc {

struct FileRecord {
    std::string path;
    std::int64_t bytes = 0;
    std::string sha256;  // 64 hexadecimal digits
    bool operator==(const FileRecord&) const = default;
};

/// Reads the file `path` once, piece by piece. @throw Error as io::InputFile, io_error
FileRecord record_of(const std::string& path);

}  // namespace voxcc
