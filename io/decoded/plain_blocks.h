// The blocks of an uncompressed label volume, which several threads write at their offsets.
#pragma once
#include "io/files/checked_file.h"

#include <atomic>

namespace voxcc::io {

/// The labels follow the bytes that the file holds when this object is made.
class PlainBlocks {
public:
    /// Bytes of each block except the last block of each volume, which may be shorter, and of each volume.
    // {4, 10, 2}: blocks of 4, 4, 2, 4, 4 and 2 bytes
    struct Sizes {
        std::int64_t block, volume, volumes;
    };
    /// @param file must outlive this object
    PlainBlocks(OutputFile& file, const Sizes& sizes) : file_(file), begin_(file.position()), sizes_(sizes) {}
    /// Writes a block at its offset, and starts to transfer it to the disk. Thread-safe. @throw Error io_error, disk_full
    void write(std::int64_t block, std::span<const std::byte> raw);
    /// Checks that all blocks were written, and that the file has their length. @throw Error internal, io_error
    void finish() const;

private:
    OutputFile& file_;
    std::int64_t begin_;
    Sizes sizes_;
    std::atomic<std::int64_t> written_{0};
};

}  // namespace voxcc::io
