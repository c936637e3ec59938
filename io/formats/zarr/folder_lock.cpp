#include "io/formats/zarr/folder_lock.h"

#include "io/files/checked_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>
#include <cerrno>

namespace voxcc::io::zarr {

FolderLock::FolderLock(const std::string& folder) : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr int most_waits = 6000;  // of 10 ms
    if (fd_ < 0) throw system_error(folder, "open the folder", errno, Access::write);
    for (int waits = 0; ::flock(fd_, LOCK_EX | LOCK_NB) != 0; ++waits) {
        const int error = errno;
        if (error == EWOULDBLOCK && waits < most_waits) {
            ::poll(nullptr, 0, 10);
            continue;
        }
        ::close(fd_);
        if (error == EWOULDBLOCK) throw Error(ErrorKind::io_error, folder, "another process has locked the metadata for a minute");
        throw system_error(folder, "lock the folder", error, Access::write);
    }
}

FolderLock::~FolderLock() { ::close(fd_); }

}  // namespace voxcc::io::zarr
