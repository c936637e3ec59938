// Files compared by what they are: device and inode, whatever path leads to them.
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

/// @return the identity of the file or folder behind all links; nothing if it does not exist
std::optional<FileIdentity> identity_of(const std::string& path);

/// A name in a folder. Every path to it gives the same place, also if there is no file of this name yet.
struct FilePlace {
    FileIdentity folder;
    std::string name;
    auto operator<=>(const FilePlace&) const = default;
};

/// @return nothing if the folder does not exist. A '/' at the end of `path` is ignored.
std::optional<FilePlace> file_place(const std::string& path);

/// The files that a run reads. No output may replace one of them.
class FileSet {
public:
    void add(const std::string& path);
    /// Whether `path` leads to one of the files, or to the place of one that is missing or was replaced.
    bool contains(const std::string& path) const;

private:
    std::set<FileIdentity> files_;
    std::set<FilePlace> places_;
};

}  // namespace voxcc::io
