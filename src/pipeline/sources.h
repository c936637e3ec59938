// A row source for labelling that reads files.
#pragma once
#include <voxcc/label.h>
#include "src/options/options.h"
#include "src/pipeline/foreground_rows.h"

#include <functional>
#include <memory>

namespace voxcc {

/// Reads an image, and a mask of the same extent if there is one, about 1 MiB at a time. A voxel is foreground if the packer finds it
/// foreground and the mask is neither 0 nor NaN.
class ReaderSource : public RowSource {
public:
    /// The readers must be at row 0. The readers and the packer must outlive the source.
    /// @param mask may be null
    /// @param keep with Keep::bits, values() must not be called
    /// @param on_rows called with the number of rows read so far, until the first rewind(). Later passes have their own progress. Must be
    ///     thread-safe
    ReaderSource(io::VolumeReader& image, const ForegroundPacker& packer, io::VolumeReader* mask, Isa isa, Keep keep,
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

}  // namespace voxcc
