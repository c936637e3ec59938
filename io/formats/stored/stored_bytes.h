// The bytes of the voxels of a StoredVolume, decoded in order: compressed, written as text, or raw.
#pragma once
#include "io/decoded/kept_decoders.h"
#include "io/files/pipe_input.h"
#include "io/formats/stored/stored_volume.h"

#include <limits>
#include <memory>

namespace voxcc::io {

/// Decodes a range of a file from its start. Not thread-safe.
class StoredBytes : public KeptDecoder {
public:
    /// Reads the next to.size() decoded bytes, which must be complete voxels. @throw Error about the content
    void read(std::span<std::byte> to);
    void skip(std::int64_t bytes);
    /// Checks after the last voxel that the data end there.
    /// @return stored bytes after the end of the data, which were not read. @throw Error about the content
    std::int64_t finish();
    void pass_once() const { file_.pass_once(); }
    void rewind();

    const std::string& path() const override { return file_.path(); }
    const FileVersion& version() const override { return version_; }
    std::int64_t position() const override { return position_; }
    bool is_verified() const override { return is_verified_; }
    bool decodes_as(const KeptDecoder& other) const override;
    std::unique_ptr<KeptDecoder> open_again() const override;
    std::optional<std::string> verify_end() override;

protected:
    explicit StoredBytes(const StoredVolume& volume);
    /// Decodes up to to.size() bytes. @return bytes; fewer only at the end of the data. @throw Error about the content
    virtual std::size_t decode(std::span<std::byte> to) = 0;
    /// Forgets the state of decoding.
    virtual void restart() = 0;
    /// See finish().
    virtual std::int64_t check_end() = 0;
    /// Reads stored bytes if all earlier ones are used. @return false at the end of the range
    bool refill();
    bool is_pipe() const { return file_.is_pipe(); }
    /// Stored bytes from the first that is not used to the end; reads a pipe to its end.
    std::int64_t unused_bytes() const;
    std::span<const std::byte> unread_;  // stored bytes that are not used

private:
    static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();
    const StoredVolume volume_;
    InputFile file_;
    std::shared_ptr<PipeInput> pipe_;  // of the file; null if it is not a pipe
    FileVersion version_;
    std::int64_t end_, at_;      // of the range, and of the next byte to read from the file
    std::int64_t position_ = 0;  // decoded bytes so far; unknown after an error
    bool is_verified_ = false;
    std::vector<std::byte> input_, sink_;
};

/// @throw Error as InputFile, out_of_memory
std::unique_ptr<StoredBytes> stored_bytes(const StoredVolume& volume);

/// The same for Encoding::numbers and Encoding::hex.
std::unique_ptr<StoredBytes> bytes_of_text(const StoredVolume& volume);

}  // namespace voxcc::io
