// Transfers of complete ranges of bytes. One system call may transfer fewer bytes, and a signal may interrupt it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace voxcc::io {

struct Transferred {
    std::size_t count = 0;  // fewer than wanted if the file ends or an error occurs
    int error = 0;          // 0, or an error number
};

/// Reads to.size() bytes at `offset` of a file.
Transferred read_at(int fd, std::int64_t offset, std::span<std::byte> to);

/// Writes all bytes at `offset` of a file. @return 0, or an error number
int write_at(int fd, std::int64_t offset, std::span<const std::byte> bytes);

/// Writes all bytes to a file, a pipe or a terminal. Waits if the descriptor does not block. @return 0, or an error number
int write_all(int fd, std::span<const std::byte> bytes);

}  // namespace voxcc::io
