// A lock on a folder, for documents in it that several processes change.
#pragma once
#include <string>

namespace voxcc::io::zarr {

/// Holds the lock of a folder. Waits for a minute if another process holds it.
class FolderLock {
public:
    /// @throw Error no_permission, io_error
    explicit FolderLock(const std::string& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int fd_;
};

}  // namespace voxcc::io::zarr
