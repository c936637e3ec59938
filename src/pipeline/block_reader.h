// Reads the rows of blocks for several threads.
#pragma once
#include "io/io.h"
#include "src/pipeline/turnstile.h"

#include <cstddef>
#include <vector>

namespace voxcc {

/// Reads blocks of a volume. A reader that reads rows in order only reads one block at a time, in the order of their numbers. Thread-safe.
class BlockReader {
public:
    /// @param reader must be at row 0, and must outlive this object
    explicit BlockReader(io::VolumeReader& reader)
        : reader_(reader), row_bytes_(reader.info().extent.nx * size_of(reader.info().type)), reads_anywhere_(reader.reads_anywhere()) {}

    /// Must be called once per block. A call may wait for the calls for the blocks before it.
    /// @param block from 0 on; the rows of the blocks follow each other without gaps
    /// @param to receives the voxels, of the type of the file
    /// @return false after fail(); the block must then not be used
    bool read(std::int64_t block, RowRange rows, std::vector<std::byte>& to) {
        to.resize(std::size_t(rows.count * row_bytes_));
        if (reads_anywhere_) {
            reader_.read_rows(rows, to.data());
            return true;
        }
        if (!order_.enter(block)) return false;
        reader_.read_rows(rows, to.data());
        order_.pass();
        return true;
    }

    /// Ends all calls of read() that wait.
    void fail() { order_.fail(); }

private:
    io::VolumeReader& reader_;
    std::int64_t row_bytes_;
    bool reads_anywhere_;
    Turnstile order_;
};

}  // namespace voxcc
