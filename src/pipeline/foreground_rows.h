// Reads a volume row by row and packs its foreground into bits.
#pragma once
#include <voxcc/foreground.h>
#include "io/io.h"
#include "src/pipeline/sampled_values.h"

#include <atomic>
#include <optional>

namespace voxcc {

/// The rule by which a voxel of a mask is inside the mask.
inline ForegroundRule rule_of_mask(const io::VolumeInfo& mask) {
    ForegroundRule rule;
    rule.slope = mask.scaling.slope, rule.intercept = mask.scaling.intercept;
    return rule;
}

/// The foreground of one reader. Normally fetch() returns voxels, and pack() packs them. With Keep::bits and a reader that has layers of
/// chunks, fetch() packs each chunk when it is read, and returns rows of bits. The voxels of one chunk at a time are then in memory.
class ForegroundRows {
public:
    /// @param reader must be at row 0, and must outlive this object
    /// @param packer must be for the type of the reader, and must outlive this object
    ForegroundRows(io::VolumeReader& reader, const ForegroundPacker& packer, Isa isa, Keep keep);

    /// Bytes per fetched row, the number of rows that is cheapest to fetch at once, and the bytes held in addition to the fetched rows.
    struct Costs {
        std::int64_t row_bytes = 0, rows_per_fetch = 1, held_bytes = 0;
    };
    static Costs costs(const io::VolumeReader& reader, Keep keep);
    std::int64_t row_bytes() const { return costs_.row_bytes; }

    /// Copies rows to `to`, which must hold rows.count * row_bytes() bytes. The first range must start at row 0, and each further range at
    /// the end of the last, until rewind(), unless the reader reads anywhere. @throw the exceptions of the reader
    void fetch(RowRange rows, std::byte* to);
    /// Whether fetch() accepts ranges in any order, and several threads may call it at the same time.
    bool reads_anywhere() const { return !by_layers_ && reader_.reads_anywhere(); }
    /// Packs a fetched row, see ForegroundPacker::pack(). Thread-safe.
    /// @param index of the row in the volume
    void pack(const std::byte* row, std::int64_t index, std::uint64_t* bits) const;
    /// Packs a row that pack() has packed already. Does not count its NaN voxels again.
    void pack_again(const std::byte* row, std::uint64_t* bits) const;
    /// Shows the voxels that are packed before the first rewind() to `samples`, which must outlive this object.
    void sample(SampledValues& samples) { samples_ = &samples; }
    void rewind();
    /// The number of NaN voxels in the rows that were packed before the first rewind().
    std::int64_t nan_voxels() const { return nan_voxels_; }

private:
    void read_layer(RowRange layer);
    void add(const io::RowPart& part);
    void pack_voxels(std::int64_t row, const std::byte* voxels, std::int64_t count, std::uint64_t* bits) const;

    io::VolumeReader& reader_;
    const ForegroundPacker& packer_;
    Isa isa_;
    Costs costs_;
    std::int64_t nx_, words_;
    bool by_layers_;
    RowRange layer_;  // the rows whose bits are in layer_bits_
    std::vector<std::uint64_t> layer_bits_;
    bool first_pass_ = true;
    SampledValues* samples_ = nullptr;
    mutable std::atomic<std::int64_t> nan_voxels_{0};
};

}  // namespace voxcc
