// The foreground of one reader's voxels, row by row.
#pragma once
#include <voxcc/foreground.h>
#include "io/io.h"

#include <atomic>
#include <optional>

namespace voxcc {

/// What is kept of the voxels that are read.
enum class Keep { bits, bits_and_values };

/// Rows are fetched as voxels and packed when somebody asks. Where only bits are kept and the reader has layers of chunks, they are packed
/// chunk by chunk while they are read, and fetched rows are bits: the voxels of more than a chunk are never in memory.
class ForegroundRows {
public:
    /// @param reader at row 0; it and the packer, which is for its type, outlive this
    ForegroundRows(io::VolumeReader& reader, const ForegroundPacker& packer, block_runs::Isa isa, Keep keep);

    /// Bytes of a fetched row, the rows that are cheapest to fetch at once, and the bytes held beyond what was fetched.
    struct Costs {
        std::int64_t row_bytes = 0, rows_per_fetch = 1, held_bytes = 0;
    };
    static Costs costs(const io::VolumeReader& reader, Keep keep);
    std::int64_t row_bytes() const { return costs_.row_bytes; }

    /// Copies rows into `to` (count * row_bytes() bytes). Ranges ascend without gaps. @throw Error as the reader
    void fetch(RowRange rows, std::byte* to);
    /// Packs a fetched row as ForegroundPacker does. Thread-safe.
    void pack(const std::byte* row, std::uint64_t* bits) const;
    void rewind();
    /// NaN voxels among the rows that were packed before the first rewind().
    std::int64_t nan_voxels() const { return nan_voxels_; }

private:
    void read_layer(RowRange layer);
    void add(const io::RowPart& part);
    void pack_voxels(const std::byte* voxels, std::int64_t count, std::uint64_t* bits) const;

    io::VolumeReader& reader_;
    const ForegroundPacker& packer_;
    block_runs::Isa isa_;
    Costs costs_;
    std::int64_t nx_, words_;
    bool by_layers_;
    RowRange layer_;  // whose bits are in layer_bits_
    std::vector<std::uint64_t> layer_bits_, part_bits_;
    bool first_pass_ = true;
    mutable std::atomic<std::int64_t> nan_voxels_{0};
};

}  // namespace voxcc
