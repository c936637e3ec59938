// Row sources for voxels in host memory at any strides, alone or together with a mask.
#pragma once
#include <voxcc/foreground.h>
#include <voxcc/labelling.h>
#include <voxcc/volume_view.h>

#include <atomic>

namespace voxcc::block_runs {

/// How the bytes of a voxel lie in memory. half: an IEEE 754 number of 16 bits, which is widened to f32. swapped: the other byte order.
enum class Storage : std::uint8_t { native, swapped, half, swapped_half };

/// Bytes of a stored voxel.
// {f32, half} -> 2
constexpr std::int64_t stored_bytes(ScalarType type, Storage storage) {
    return storage == Storage::half || storage == Storage::swapped_half ? 2 : size_of(type);
}

/// Supplies the rows of a view. A row is read in place if its voxels lie side by side in native storage. Other rows are copied to the
/// buffer of fetch(), so the volume is never copied.
class StridedSource : public RowSource {
public:
    /// @param view its voxels may begin at any byte. The type is the type after widening: f32 for half
    /// @param packer must outlive the source; its type must be the type of the view
    StridedSource(const VolumeView& view, const ForegroundPacker& packer, Storage storage = Storage::native);
    Access access() const override { return Access::concurrent; }
    std::int64_t rows_per_fetch() const override;
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override;
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        pack_rows(fetched, rows, {index, 1, bits, 0});
    }
    void pack_rows(const std::byte* fetched, RowRange rows, const PackedRows& to) const override;
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override;
    ScalarType value_type() const override { return view_.type; }
    Lifetime lifetime() const override { return in_place_ ? Lifetime::source : Lifetime::until_next_fetch; }

    const Extent& extent() const { return view_.extent; }
    /// Whether rows are read in place. fetch() then uses no buffer.
    bool in_place() const { return in_place_; }
    /// The number of NaN voxels in all rows that pack() has packed. Thread-safe.
    std::int64_t nan_voxels() const { return nan_voxels_.load(std::memory_order_relaxed); }
    /// Bytes that copy() writes.
    std::int64_t copied_bytes(RowRange rows) const { return rows.count * row_bytes_; }
    /// Copies rows, side by side, in native storage and the type of the view. Thread-safe.
    /// @param to must hold copied_bytes(rows)
    void copy(RowRange rows, std::byte* to) const;

private:
    VolumeView view_;
    const ForegroundPacker& packer_;
    Storage storage_;
    std::int64_t row_bytes_;
    bool in_place_;
    bool rows_follow_;  // the distance between consecutive rows is the same within slices and between slices
    Isa isa_ = default_isa();
    mutable std::atomic<std::int64_t> nan_voxels_ = 0;
};

/// Supplies the rows of one source, where the voxels of a second source are foreground, too.
// voxels [1 1 0 1], mask [0 7 7 7]  ->  foreground [0 1 0 1]
class MaskedSource : public RowSource {
public:
    /// Both must outlive this object and must have the same extent.
    MaskedSource(StridedSource& voxels, StridedSource& mask) : voxels_(voxels), mask_(mask) {}
    Access access() const override { return Access::concurrent; }
    std::int64_t rows_per_fetch() const override { return std::min(voxels_.rows_per_fetch(), mask_.rows_per_fetch()); }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override;
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override;
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override {
        return voxels_.values(fetched, rows, index);
    }
    ScalarType value_type() const override { return voxels_.value_type(); }
    Lifetime lifetime() const override { return voxels_.lifetime(); }

private:
    std::int64_t mask_offset(RowRange rows) const;  // in the buffer
    StridedSource& voxels_;
    StridedSource& mask_;
};

}  // namespace voxcc::block_runs
