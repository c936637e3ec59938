// A fast deflate encoder (RFC 1951) for label volumes: runs of equal values of 1, 2, 4 or 8 bytes, in rows that resemble each other.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

namespace voxcc::io {

/// Compresses blocks of bytes. An encoder uses about 150 kB, so callers should reuse it. Not thread-safe.
class DeflateEncoder {
public:
    DeflateEncoder();
    ~DeflateEncoder();
    DeflateEncoder(const DeflateEncoder&) = delete;
    DeflateEncoder& operator=(const DeflateEncoder&) = delete;
    /// Size in bytes that `to` of encode() must have at least.
    static std::size_t room_for(std::size_t raw_bytes);
    /// Compresses `raw` so that the result ends on a byte boundary, does not contain a final block and does not refer to earlier data.
    /// Results can be joined in any order. The result depends on the bytes of `raw` only: not on earlier calls, addresses or the CPU.
    /// @param raw at most 1 GiB
    /// @param to room_for(raw.size()) bytes; the bytes after the result may be overwritten
    /// @return bytes written
    std::size_t encode(std::span<const std::byte> raw, std::span<std::byte> to);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace voxcc::io
