// Where the engine gets its rows from: readers that stream, or bits that are held in memory.
#pragma once
#include <voxcc/labelling.h>
#include "src/cli/options.h"
#include "src/pipeline/foreground_rows.h"

#include <functional>
#include <memory>

namespace voxcc {

/// What labelling by a rule needs.
inline Keep keep_for(Rule rule) { return rule == Rule::foreground ? Keep::bits : Keep::bits_and_values; }

/// Streams an image, and a mask of the same extent if there is one, in slabs of about 1 MiB. Voxels are foreground where the packer says
/// so and the mask is not zero.
class ReaderSource : public block_runs::RowSource {
public:
    /// @param mask may be null. Both readers are at row 0 and outlive the source.
    /// @param keep bits: values() is never called
    /// @param on_rows called with the number of rows read so far, until the first rewind(): what reads again has a progress of its own
    ReaderSource(io::VolumeReader& image, const ForegroundPacker& packer, io::VolumeReader* mask, block_runs::Isa isa, Keep keep,
                 std::function<void(std::int64_t)> on_rows);
    Access access() const override { return Access::in_order; }
    std::int64_t rows_per_fetch() const override { return rows_per_fetch_; }
    /// What a source of these readers will fetch (rows_per_fetch: about 1 MiB, and what suits the image's reader) and hold.
    static ForegroundRows::Costs costs(const io::VolumeReader& image, const io::VolumeReader* mask, Keep keep);
    void rewind() override;
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override;
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override;
    const std::byte* values(const std::byte* fetched, RowRange, std::int64_t index) const override {
        return fetched + index * image_.row_bytes();
    }
    ScalarType value_type() const override { return value_type_; }
    Keep keep() const { return keep_; }
    /// NaN voxels of the image and of the mask, as far as they were packed before the first rewind().
    std::int64_t nan_voxels() const { return image_.nan_voxels(); }
    std::int64_t nan_voxels_of_mask() const { return mask_ ? mask_->nan_voxels() : 0; }

private:
    ForegroundRows image_;
    std::unique_ptr<ForegroundPacker> mask_packer_;  // stays where it is: mask_ refers to it
    std::optional<ForegroundRows> mask_;
    ScalarType value_type_;
    Keep keep_;
    std::function<void(std::int64_t)> on_rows_;
    std::int64_t words_, rows_per_fetch_;
};

/// A whole volume's foreground in memory, with axes exchanged so that slices across `slices` become z-slices:
/// z: x y z as stored; y: x z y; x: y z x.
struct HeldBits {
    Extent extent;  // exchanged
    std::int64_t words = 0;
    std::vector<std::uint64_t> bits;  // [extent.rows()][words]
    ScalarType value_type = ScalarType::u8;
    std::vector<std::byte> values;  // [extent.voxels()], only if the source keeps them
    std::uint64_t* row(std::int64_t r) { return bits.data() + r * words; }
    const std::uint64_t* row(std::int64_t r) const { return bits.data() + r * words; }
};

/// Reads the whole source. @throw what the source throws
HeldBits hold(ReaderSource& source, const Extent& stored, Axis slices);

/// Rows of held bits, at random. Does not own them.
class HeldSource : public block_runs::RowSource {
public:
    explicit HeldSource(const HeldBits& held) : held_(held) {}
    Access access() const override { return Access::concurrent; }
    std::int64_t rows_per_fetch() const override { return 64; }
    const std::byte* fetch(RowRange, std::vector<std::byte>&) override { return held_.values.data(); }
    void pack(const std::byte*, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        std::copy_n(held_.row(rows.first + index), held_.words, bits);
    }
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override {
        return fetched + (rows.first + index) * held_.extent.nx * size_of(held_.value_type);
    }
    ScalarType value_type() const override { return held_.value_type; }
    Lifetime lifetime() const override { return Lifetime::source; }

protected:
    const HeldBits& held_;
};

/// Sets the bits of cavities: background that no path of the dual connectivity joins to the border (faces of periodic axes are none).
void fill_holes(HeldBits& held, Connectivity connectivity, const block_runs::Periodic& periodic, ThreadPool& pool);

}  // namespace voxcc
