#include "io/files/transfer.h"

#include <poll.h>
#include <unistd.h>
#include <cerrno>

namespace voxcc::io {
namespace {

// Calls transfer(rest) until no bytes are left, or until it transfers none. The calls return what the system calls return.
template <class Bytes, class Transfer>
Transferred transfer_all(Bytes bytes, const Transfer& transfer) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t n = transfer(bytes.subspan(done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return {done, errno};
        if (n == 0) break;
        done += std::size_t(n);
    }
    return {done, 0};
}

// No byte of a write may be missing without an error.
int error_of(const Transferred& written, std::size_t wanted) { return written.error == 0 && written.count < wanted ? EIO : written.error; }

}  // namespace

Transferred read_at(int fd, std::int64_t offset, std::span<std::byte> to) {
    return transfer_all(to, [&](std::span<std::byte> rest) {
        return ::pread(fd, rest.data(), rest.size(), offset + std::int64_t(to.size() - rest.size()));
    });
}

int write_at(int fd, std::int64_t offset, std::span<const std::byte> bytes) {
    const auto write = [&](std::span<const std::byte> rest) {
        return ::pwrite(fd, rest.data(), rest.size(), offset + std::int64_t(bytes.size() - rest.size()));
    };
    return error_of(transfer_all(bytes, write), bytes.size());
}

int write_all(int fd, std::span<const std::byte> bytes) {
    const auto write = [fd](std::span<const std::byte> rest) {
        for (;;) {
            const ssize_t n = ::write(fd, rest.data(), rest.size());
            if (n >= 0 || errno != EAGAIN) return n;
            pollfd out{fd, POLLOUT, 0};
            ::poll(&out, 1, -1);
        }
    };
    return error_of(transfer_all(bytes, write), bytes.size());
}

}  // namespace voxcc::io
