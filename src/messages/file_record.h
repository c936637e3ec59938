// Size and checksum of a file, for the summary of a run.
#pragma once
#include <cstdint>
#include <stop_token>
#include <string>

namespace voxcc {

struct FileRecord {
    std::string path;
    std::int64_t bytes = 0;
    std::string sha256;  // 64 hexadecimal digits
    bool operator==(const FileRecord&) const = default;
};

/// Reads the file `path` once, piece by piece. @throw Error as io::InputFile, io_error
/// @param stop ends the call early if a stop is requested; the record is then not complete
FileRecord record_of(const std::string& path, const std::stop_token& stop = {});

}  // namespace voxcc
