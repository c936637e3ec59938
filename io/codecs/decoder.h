// The interface of decoders: compressed data are read as a sequence of decoded bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace voxcc::io {

/// Decodes compressed data from their start. Not thread-safe. Every function throws Error about the content if the data are corrupt or
/// truncated, or if their checksum is wrong.
class Decoder {
public:
    Decoder() = default;
    virtual ~Decoder() = default;
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;
    /// Decodes up to to.size() bytes. @return bytes; fewer than to.size() only at the end of the data, which are then verified
    virtual std::size_t read_some(std::span<std::byte> to) = 0;
    /// Returns to the first byte.
    virtual void rewind() = 0;
    virtual std::int64_t position() const = 0;  // decoded bytes returned so far
    /// Decodes, checks and discards the rest of the data. @return decoded bytes
    std::int64_t drain();
};

}  // namespace voxcc::io
