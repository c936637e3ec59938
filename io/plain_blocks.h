// The blocks of an uncompressed label volume, which several threads write at their offsets.
#pragma once
#include "io/checked_file.h"

#include <atomic>

namespace voxcc::io {

/// The labels follow the bytes that the file holds when this object is made.
class PlainBlocks {
public:
    /// @param file must outlive this object
    /// @param bytes_per_block bytes of each block except the last, which may be shorter
    /// @param bytes bytes of all blocks
    PlainBlocks(OutputFile& file, std::int64_t bytes_per_block, std::int64_t bytes)
        : file_(file), begin_(file.position()), bytes_per_block_(bytes_per_block), bytes_(bytes) {}
    /// Writes a block at its offset, and starts to transfer it to the disk. Thread-safe. @throw Error io_error, disk_full
    void write(std::int64_t block, std::span<const std::byte> raw);
    /// Checks that all blocks were written, and that the file has their length. @throw Error internal, io_error
    void finish() const;

private:
    OutputFile& file_;
    std::int64_t begin_, bytes_per_block_, bytes_;
    std::atomic<std::int64_t> written_{0};
};

}  // namespace voxcc::io
