// Row sources for labelling: readers of files, and foreground bits in memory.
#pragma once
#include <voxcc/labelling.h>
#include "src/options/options.h"
#include "src/pipeline/foreground_rows.h"

#include <functional>
#include <memory>

namespace voxcc {

/// The data that labelling by a rule needs.
inline Keep keep_for(Rule rule) { return rule == Rule::foreground ? Keep::bits : Keep::bits_and_values; }

/// Packs the mask of a fetched row: see ReaderSource::pack_mask().
using PackMask = std::function<void(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits)>;

/// Reads an image, and a mask of the same extent if there is one, about 1 MiB at a time. A voxel is foreground if the packer finds it
/// foreground and the mask is neither 0 nor NaN.
class ReaderSource : public block_runs::RowSource {
public:
    /// The readers must be at row 0. The readers and the packer must outlive the source.
    /// @param mask may be null
    /// @param keep with Keep::bits, values() must not be called
    /// @param on_rows called with the number of rows read so far, until the first rewind(). Later passes have their own progress. Must be
    ///     thread-safe
    ReaderSource(io::VolumeReader& image, const ForegroundPacker& packer, io::VolumeReader* mask, block_runs::Isa isa, Keep keep,
                 std::function<void(std::int64_t)> on_rows);
    /// Lets several threads fetch at the same time, if both readers can read anywhere. The source must then not be read after rewind().
    void allow_concurrent_access();
    /// See ForegroundRows::sample(). The values of the mask are not sampled.
    void sample(SampledValues& samples) { image_.sample(samples); }
    Access access() const override { return access_; }
    std::int64_t rows_per_fetch() const override { return rows_per_fetch_; }
    /// The costs of a source with these readers. rows_per_fetch makes about 1 MiB, and is a multiple of the rows that suit the image
    /// reader.
    static ForegroundRows::Costs costs(const io::VolumeReader& image, const io::VolumeReader* mask, Keep keep);
    void rewind() override;
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override;
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override;
    bool has_mask() const { return mask_.has_value(); }
    /// Packs the mask of a fetched row after pack(). Must be called only with a mask.
    void pack_mask(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const;
    /// Calls pack_mask() of this source; empty without a mask.
    PackMask mask_packer() const;
    const std::byte* values(const std::byte* fetched, RowRange, std::int64_t index) const override {
        return fetched + index * image_.row_bytes();
    }
    ScalarType value_type() const override { return value_type_; }
    Keep keep() const { return keep_; }
    /// The numbers of NaN voxels of the image and of the mask in the rows that were packed before the first rewind().
    std::int64_t nan_voxels() const { return image_.nan_voxels(); }
    std::int64_t nan_voxels_of_mask() const { return mask_ ? mask_->nan_voxels() : 0; }

private:
    ForegroundRows image_;
    std::unique_ptr<ForegroundPacker> mask_packer_;  // on the heap, because mask_ has a reference to it
    std::optional<ForegroundRows> mask_;
    ScalarType value_type_;
    Keep keep_;
    std::function<void(std::int64_t)> on_rows_;
    std::atomic<std::int64_t> rows_read_{0};
    std::int64_t words_, rows_per_fetch_;
    Access access_ = Access::in_order;
};

/// The foreground of a volume in memory. The axes are exchanged, so that slices across `slices` become z-slices. Order of the stored axes
/// for Axis::z: x y z; for Axis::y: x z y; for Axis::x: y z x.
struct VolumeBits {
    Extent extent;                    // after the exchange
    std::int64_t words = 0;           // 64-bit words per row
    std::vector<std::uint64_t> bits;  // [extent.rows()][words]
    ScalarType value_type = ScalarType::u8;
    std::vector<std::byte> values;    // [extent.voxels()] of value_type; empty with Keep::bits
    std::vector<std::uint64_t> mask;  // as bits; empty without a mask, and if the holes of the foreground are not filled
    std::uint64_t* row(std::int64_t r) { return bits.data() + r * words; }
    const std::uint64_t* row(std::int64_t r) const { return bits.data() + r * words; }
};

/// Reads rows of a source.
/// @param pack_mask fills VolumeBits::mask; empty: without a mask
/// @param stored extent of the slices that are read; of the complete volume, or of a slab
/// @param first_row the first row of these slices
/// @throw the exceptions of the source
VolumeBits read_bits(block_runs::RowSource& source, const Extent& stored, std::int64_t first_row, Axis slices, Keep keep,
                     const PackMask& pack_mask = {});

/// A row source for bits in memory, with concurrent access. Does not own the bits, which must outlive the source.
class VolumeBitsSource : public block_runs::RowSource {
public:
    explicit VolumeBitsSource(const VolumeBits& held) : volume_(held) {}
    Access access() const override { return Access::concurrent; }
    std::int64_t rows_per_fetch() const override { return 64; }
    const std::byte* fetch(RowRange, std::vector<std::byte>&) override { return volume_.values.data(); }
    void pack(const std::byte*, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        std::copy_n(volume_.row(rows.first + index), volume_.words, bits);
    }
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override {
        return fetched + (rows.first + index) * volume_.extent.nx * size_of(volume_.value_type);
    }
    ScalarType value_type() const override { return volume_.value_type; }
    Lifetime lifetime() const override { return Lifetime::source; }

private:
    const VolumeBits& volume_;
};

}  // namespace voxcc
