// A folder of many files that is published as one output.
#pragma once
#include "io/files/temporaries.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::io {

/// A folder with a temporary name beside its target. The destructor removes a folder that was not published.
///
///     .voxcc-PLACE-PID-SERIAL-a.zarr/zarr.json        becomes a.zarr/zarr.json
///     .voxcc-PLACE-PID-SERIAL-a.zarr/c/0/0/0          becomes a.zarr/c/0/0/0
class OutputFolder {
public:
    /// Creates the folder, with the mode of the folder that it replaces, and all rights of the owner. @param target without '/' at its end;
    /// its name must be checked @throw Error cannot_create, no_permission
    explicit OutputFolder(std::string target);
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    const std::string& target() const { return target_; }
    const std::string& temporary() const { return temporary_; }
    bool is_complete() const { return is_complete_; }
    /// Creates a file and its missing folders, and syncs the file. Thread-safe; each key may be written once.
    /// @param key path below the folder, of trusted names @throw Error io_error, disk_full
    void write(const std::string& key, std::span<const std::byte> bytes);
    void write(const std::string& key, std::string_view text) { write(key, std::as_bytes(std::span(text.data(), text.size()))); }
    /// Syncs the folders. Must be called once, after the last file. @throw Error io_error
    void complete();
    /// Must be called after the folder got its target, or was removed.
    void forget_temporary();

private:
    [[noreturn]] void fail(const std::string& key, const std::string& action, int error_number) const;
    void make_folder(const std::string& path, const std::string& key);
    void make_folders_of(const std::string& key);
    std::string target_, temporary_;
    std::mutex mutex_;                                // of the members below
    std::map<std::string, TemporaryEntry*> folders_;  // by path; a folder precedes the folders in it
    std::vector<TemporaryEntry*> files_;
    bool is_complete_ = false, is_published_ = false;
};

}  // namespace voxcc::io
