// Input from a pipe: stdin, a FIFO, or a socket. Its bytes arrive once and in order.
#pragma once
#include "io/files/file_identity.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace voxcc::io {

/// Whether a path is another name of stdin: "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0".
bool is_stdin(const std::string& path);

/// @return the identity of a pipe; all its names give equal values. Empty for files and for paths that do not exist.
/// @throw Error not_a_file if the path is stdin, and stdin is a terminal
std::optional<FileIdentity> pipe_identity(const std::string& path);

/// The path with which a file is opened: "/dev/stdin" for "-" if stdin is a regular file, else `path`.
const std::string& path_to_open(const std::string& path);

/// Called once per pipe when its bytes are copied to a file. @param folder the folder of the file
using WhenSpooled = std::function<void(const std::string& path, const std::string& folder)>;
/// Must be called before a pipe is read. Not thread-safe.
void when_spooled(WhenSpooled call);

/// The bytes of one pipe. They are kept, so that every byte can be read several times: the first MiB in memory, and all bytes in a file
/// without a name in TMPDIR as soon as the pipe is longer. After pass_once(), further bytes are not kept. Thread-safe.
class PipeInput {
public:
    /// @return the one object of the pipe, which is opened by the first call; null if `path` is not a pipe. Waits until another process
    /// opens the FIFO for writing.
    /// @throw Error not_a_file for a terminal, no_permission, io_error
    static std::shared_ptr<PipeInput> of(const std::string& path);
    ~PipeInput();
    PipeInput(const PipeInput&) = delete;
    PipeInput& operator=(const PipeInput&) = delete;
    /// Reads up to to.size() bytes from byte `offset`, and waits for them. @return bytes; fewer only at the end of the pipe
    /// @throw Error io_error, disk_full; internal if the bytes are not kept; invalid_file if the pipe goes on after the end: end_at()
    std::size_t read_some(std::int64_t offset, std::span<std::byte> to);
    /// Allows that bytes which were not read so far are passed to one reader only, without a copy. They must then be read in order.
    void pass_once();
    /// States that the volume needs no byte from `offset` on. The pipe must end within the next MiB: otherwise read_some() throws there, so
    /// that a program which never stops writing does not fill the disk.
    void end_at(std::int64_t offset);
    /// The same for the first byte that was not received so far: a decoder has read a piece that contains the last byte of the volume.
    void end_here();

private:
    PipeInput(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
    std::size_t receive(std::span<std::byte> to);
    void keep_until(std::int64_t offset);
    void keep(std::span<const std::byte> bytes);
    void open_spool();
    std::size_t read_kept(std::int64_t offset, std::span<std::byte> to) const;
    std::size_t pass(std::int64_t offset, std::span<std::byte> to);

    std::mutex mutex_;
    std::string path_;
    int fd_ = -1, spool_ = -1;                                      // spool_: -1 while all kept bytes are in memory
    std::vector<std::byte> start_;                                  // the kept bytes while spool_ is -1
    std::int64_t received_ = 0;                                     // bytes of the pipe so far
    std::int64_t kept_ = 0;                                         // bytes that can be read again
    std::int64_t most_ = std::numeric_limits<std::int64_t>::max();  // bytes of the pipe, see end_at()
    bool passes_ = false, ended_ = false;
};

}  // namespace voxcc::io
