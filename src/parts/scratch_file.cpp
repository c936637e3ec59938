#include "src/parts/scratch_file.h"

#include "io/files/checked_file.h"
#include "io/files/nameless_file.h"

#include <unistd.h>
#include <cerrno>

namespace voxcc::parts {

ScratchFile::~ScratchFile() {
    if (file_ >= 0) ::close(file_);
}

std::uint64_t ScratchFile::append(std::span<const std::byte> bytes) {
    if (file_ < 0) file_ = io::create_nameless_file(folder_, "sizes");
    if (file_ < 0) fail("create a temporary file", errno);
    const std::uint64_t place = bytes_;
    write(place, bytes);
    bytes_ += bytes.size();
    return place;
}

void ScratchFile::write(std::uint64_t place, std::span<const std::byte> bytes) { transfer("write", ::pwrite, place, bytes); }

void ScratchFile::read(std::uint64_t place, std::span<std::byte> to) { transfer("read", ::pread, place, to); }

template <class Call, class Bytes>
void ScratchFile::transfer(const std::string& action, const Call& call, std::uint64_t place, Bytes bytes) const {
    while (!bytes.empty()) {
        const ssize_t n = call(file_, bytes.data(), bytes.size(), off_t(place));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) fail(action + " a temporary file", n < 0 ? errno : EIO);
        bytes = bytes.subspan(std::size_t(n));
        place += std::uint64_t(n);
    }
}

void ScratchFile::fail(const std::string& action, int error) const { throw io::system_error(folder_, action, error, io::Access::write); }

}  // namespace voxcc::parts
