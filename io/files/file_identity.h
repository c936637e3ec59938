// Comparison of files by device and inode, independent of the path that leads to them.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace voxcc::io {

struct FileIdentity {
    std::uint64_t device = 0, inode = 0;
    auto operator<=>(const FileIdentity&) const = default;
};

/// @return the identity of the file or folder, links followed; empty if it does not exist
std::optional<FileIdentity> identity_of(const std::string& path);

/// A file name in a folder. All paths to the file give equal values, even if the file does not exist yet.
struct FilePlace {
    FileIdentity folder;
    std::string name;
    auto operator<=>(const FilePlace&) const = default;
};

/// @return folder and name of `path`; empty if the folder does not exist. A '/' at the end of `path` is ignored.
std::optional<FilePlace> file_place(const std::string& path);

/// The files that a run reads; outputs must not replace them. Concurrent calls of contains() are safe.
class FileSet {
public:
    void add(const std::string& path);
    /// @return whether `path` leads to one of the files, or has the folder and name of one (which may be missing or replaced)
    bool contains(const std::string& path) const;

private:
    std::set<FileIdentity> files_;
    std::set<FilePlace> places_;
};

}  // namespace voxcc::io
