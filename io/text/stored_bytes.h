// The bytes of the voxels of a StoredVolume that must be decoded in order: compressed, or written as text.
#pragma once
#include "io/text/stored_volume.h"

#include <memory>

namespace voxcc::io {

/// Decodes a range of a file from its start. Not thread-safe.
class StoredBytes {
public:
    virtual ~StoredBytes() = default;
    StoredBytes(const StoredBytes&) = delete;
    StoredBytes& operator=(const StoredBytes&) = delete;

    /// Reads the next to.size() decoded bytes, which must be complete voxels. @throw Error about the content
    void read(std::span<std::byte> to);
    void skip(std::int64_t bytes);
    /// Checks after the last voxel that the data end there.
    /// @return stored bytes after the end of the data, which were not read. @throw Error about the content
    virtual std::int64_t finish() = 0;
    void pass_once() const { file_.pass_once(); }
    void rewind();

protected:
    explicit StoredBytes(const StoredVolume& volume);
    /// Decodes up to to.size() bytes. @return bytes; fewer only at the end of the data. @throw Error about the content
    virtual std::size_t decode(std::span<std::byte> to) = 0;
    /// Forgets the state of decoding.
    virtual void restart() = 0;
    /// Reads stored bytes if all earlier ones are used. @return false at the end of the range
    bool refill();
    /// Stored bytes from the first that is not used to the end; reads a pipe to its end.
    std::int64_t unused_bytes() const;
    const std::string& path() const { return file_.path(); }
    std::span<const std::byte> unread_;  // stored bytes that are not used

private:
    InputFile file_;
    std::int64_t offset_, end_, at_;  // of the range, and of the next byte to read from the file
    std::vector<std::byte> input_, sink_;
};

/// The most decoded bytes that a stored byte can give.
double most_bytes_per_stored_byte(const StoredVolume& volume);

/// @param volume must not have Encoding::raw
std::unique_ptr<StoredBytes> stored_bytes(const StoredVolume& volume);

/// The same for Encoding::numbers and Encoding::hex.
std::unique_ptr<StoredBytes> bytes_of_text(const StoredVolume& volume);

}  // namespace voxcc::io
