#include "io/files/file_version.h"

#include "io/files/pipe_input.h"

#include <sys/stat.h>
#include <cerrno>

namespace voxcc::io {

FileVersion version_of(const InputFile& file, std::int64_t part_at) {
    if (file.is_pipe()) return {.identity = pipe_identity(file.path()).value_or(FileIdentity{}), .part_at = part_at};
    struct stat st {};
    if (::fstat(file.descriptor(), &st) != 0) throw system_error(file.path(), "look at", errno, Access::read);
    return {{std::uint64_t(st.st_dev), std::uint64_t(st.st_ino)},
            std::int64_t(st.st_size),
            std::int64_t(st.st_mtim.tv_sec) * 1'000'000'000 + st.st_mtim.tv_nsec,
            part_at};
}

}  // namespace voxcc::io
