#include "io/files/nameless_file.h"

#include "io/files/temporaries.h"
#include "io/files/temporary_names.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>

namespace voxcc::io {

int create_nameless_file(const std::string& folder, const std::string& name) {
    const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL)) return fd;
    const BlockedSignals blocked;
    const std::string path = temporary_path(folder + "/" + name);
    const int named = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const int error = errno;
    if (named >= 0) ::unlink(path.c_str());
    errno = error;
    return named;
}

}  // namespace voxcc::io
