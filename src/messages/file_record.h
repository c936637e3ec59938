// Size and checksum of a file, for the summary of a run.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace voxcc {

struct FileRecord {
    std::string path;
    std::int64_t bytes = 0;
    std::string sha256;  // 64 hexadecimal digits
    bool operator==(const FileRecord&) const = default;
};

/// Called with the number of bytes that are hashed. A result of false ends the call early; the record is then not complete.
using Hashed = std::function<bool(std::int64_t bytes)>;

/// Reads the file or the pipe `path` once, in pieces of 1 MiB. @throw Error as io::InputFile, io_error
/// @param hashed called before each piece; may be empty
FileRecord record_of(const std::string& path, const Hashed& hashed = {});

/// Reads all files of a Zarr folder. `bytes` is their sum. The checksum belongs to a text with one line per file, in the order of the
/// paths, as `sha256sum` prints them in the folder. @throw Error as record_of()
// "3a6e...  c/0/0/0\n" "91c0...  zarr.json\n"  ->  its SHA-256
FileRecord record_of_folder(const std::string& folder);

/// The SHA-256 of a text: 64 hexadecimal digits. @throw Error internal
std::string sha256_of(std::string_view text);

}  // namespace voxcc
