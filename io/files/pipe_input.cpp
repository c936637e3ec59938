#include "io/files/pipe_input.h"

#include "io/files/checked_file.h"
#include "io/files/nameless_file.h"
#include "io/files/transfer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>

namespace voxcc::io {
namespace {

constexpr std::int64_t bytes_in_memory = std::int64_t{1} << 20, most_after_end = std::int64_t{1} << 20;

WhenSpooled& spool_listener() {
    static WhenSpooled call;
    return call;
}

/// The status of stdin or of a file; empty if the path does not exist.
std::optional<struct stat> status_of(const std::string& path) {
    struct stat st {};
    const int result = is_stdin(path) ? ::fstat(STDIN_FILENO, &st) : ::stat(path.c_str(), &st);
    return result == 0 ? std::make_optional(st) : std::nullopt;
}

// A device such as /dev/null is a pipe only as stdin.
bool is_pipe(const std::string& path, const struct stat& st) {
    if (S_ISFIFO(st.st_mode)) return true;
    return is_stdin(path) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

void refuse_terminal(const std::string& path) {
    if (is_stdin(path) && ::isatty(STDIN_FILENO))
        throw Error(ErrorKind::not_a_file, path, "stdin is a terminal; pipe a volume into voxcc, or give the name of a file");
}

std::string spool_folder() {
    const char* const folder = std::getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

void wait_for(int fd) {
    pollfd in{fd, POLLIN, 0};
    ::poll(&in, 1, -1);
}

}  // namespace

bool is_stdin(const std::string& path) {
    constexpr std::array names{"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
    return std::ranges::find(names, path) != names.end();
}

std::optional<FileIdentity> pipe_identity(const std::string& path) {
    const auto st = status_of(path);
    if (!st || !is_pipe(path, *st)) return std::nullopt;
    refuse_terminal(path);
    return FileIdentity{std::uint64_t(st->st_dev), std::uint64_t(st->st_ino)};
}

const std::string& path_to_open(const std::string& path) {
    static const std::string standard_input = "/dev/stdin";
    if (path != "-") return path;
    const auto st = status_of(path);
    return st && S_ISREG(st->st_mode) ? standard_input : path;
}

void when_spooled(WhenSpooled call) { spool_listener() = std::move(call); }

std::shared_ptr<PipeInput> PipeInput::of(const std::string& path) {
    static std::mutex mutex;
    static std::map<FileIdentity, std::shared_ptr<PipeInput>> pipes;
    const auto identity = pipe_identity(path);
    if (!identity) return nullptr;
    const std::lock_guard lock(mutex);
    if (const auto known = pipes.find(*identity); known != pipes.end()) return known->second;
    const int fd = is_stdin(path) ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) throw system_error(path, "open", errno, Access::read);
    return pipes[*identity] = std::shared_ptr<PipeInput>(new PipeInput(path, fd));
}

PipeInput::~PipeInput() {
    ::close(fd_);
    if (spool_ >= 0) ::close(spool_);
}

// Receives up to to.size() bytes. @return fewer only at the end of the pipe
std::size_t PipeInput::receive(std::span<std::byte> to) {
    std::size_t got = 0;
    while (got < to.size() && !ended_) {
        const ssize_t n = ::read(fd_, to.data() + got, to.size() - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {
            wait_for(fd_);
            continue;
        }
        if (n < 0) throw system_error(path_, "read", errno, Access::read);
        got += std::size_t(n);
        ended_ = n == 0 || received_ + std::int64_t(got) > most_;
    }
    received_ += std::int64_t(got);
    return got;
}

void PipeInput::open_spool() {
    const std::string folder = spool_folder();
    spool_ = create_nameless_file(folder, "pipe");
    if (spool_ < 0) throw system_error(folder, "copy '" + path_ + "' to a file in TMPDIR", errno, Access::write);
    if (spool_listener()) spool_listener()(path_, folder);
    const std::vector<std::byte> start = std::move(start_);
    start_ = {};
    kept_ = 0;
    keep(start);
}

void PipeInput::keep(std::span<const std::byte> bytes) {
    if (spool_ < 0 && kept_ + std::int64_t(bytes.size()) > bytes_in_memory) open_spool();
    if (spool_ < 0) {
        start_.insert(start_.end(), bytes.begin(), bytes.end());
        kept_ += std::int64_t(bytes.size());
        return;
    }
    if (const int error = write_at(spool_, kept_, bytes))
        throw system_error(spool_folder(), "copy '" + path_ + "' to a file in TMPDIR", error, Access::write);
    kept_ += std::int64_t(bytes.size());
}

void PipeInput::keep_until(std::int64_t offset) {
    std::vector<std::byte> piece(std::size_t(std::clamp<std::int64_t>(offset - received_, 0, bytes_in_memory)));
    while (received_ < offset && !ended_) {
        const auto wanted = std::min<std::int64_t>(offset - received_, std::int64_t(piece.size()));
        const std::size_t got = receive(std::span(piece).first(std::size_t(wanted)));
        keep(std::span(piece).first(got));
    }
}

std::size_t PipeInput::read_kept(std::int64_t offset, std::span<std::byte> to) const {
    if (offset >= kept_) return 0;
    const auto count = std::size_t(std::min<std::int64_t>(std::int64_t(to.size()), kept_ - offset));
    if (spool_ < 0) {
        std::memcpy(to.data(), start_.data() + offset, count);
        return count;
    }
    const Transferred read = read_at(spool_, offset, to.first(count));
    if (read.count < count)
        throw system_error(spool_folder(), "read the copy of '" + path_ + "'", read.error ? read.error : EIO, Access::read);
    return count;
}

std::size_t PipeInput::pass(std::int64_t offset, std::span<std::byte> to) {
    if (to.empty() || (ended_ && offset >= received_)) return 0;
    if (offset < received_) throw Error(ErrorKind::internal, path_, "a pipe was read a second time");
    std::vector<std::byte> skipped(std::size_t(std::min<std::int64_t>(offset - received_, bytes_in_memory)));
    while (received_ < offset && !ended_)
        receive(std::span(skipped).first(std::size_t(std::min<std::int64_t>(offset - received_, std::int64_t(skipped.size())))));
    return receive(to);
}

std::size_t PipeInput::read_some(std::int64_t offset, std::span<std::byte> to) {
    const std::lock_guard lock(mutex_);
    if (!passes_) keep_until(offset + std::int64_t(to.size()));
    std::size_t got = read_kept(offset, to);
    if (passes_ && got < to.size()) got += pass(offset + std::int64_t(got), to.subspan(got));
    if (got < to.size() && received_ > most_)
        throw Error(ErrorKind::invalid_file, path_,
                    "the pipe goes on for more than 1 MiB after the volume; end it after the volume, for example with 'head -c'");
    return got;
}

void PipeInput::end_at(std::int64_t offset) {
    const std::lock_guard lock(mutex_);
    most_ = std::min(most_, std::max(offset, std::int64_t{0}) + most_after_end);
}

void PipeInput::end_here() {
    const std::lock_guard lock(mutex_);
    most_ = std::min(most_, received_ + most_after_end);
}

void PipeInput::pass_once() {
    const std::lock_guard lock(mutex_);
    passes_ = true;
}

}  // namespace voxcc::io
