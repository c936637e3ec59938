// A row source for a volume in host memory.
#pragma once
#include <voxcc/foreground.h>
#include <voxcc/source.h>

#include <algorithm>

namespace voxcc {

/// Does not own `voxels` or `packer`; both must outlive the source. `voxels` must hold extent.voxels() values of packer.type(), x fastest,
/// without gaps, aligned for the type.
class MemorySource : public RowSource {
public:
    MemorySource(const std::byte* voxels, const Extent& extent, const ForegroundPacker& packer, Isa isa = default_isa(),
                 Access access = Access::concurrent)
        : voxels_(voxels), nx_(extent.nx), row_bytes_(extent.nx * size_of(packer.type())), packer_(packer), isa_(isa), access_(access) {}
    Access access() const override { return access_; }
    std::int64_t rows_per_fetch() const override {
        return std::max<std::int64_t>(1, (1 << 17) / row_bytes_);
    }  // 128 KiB, a fraction of the second-level cache
    const std::byte* fetch(RowRange rows, std::vector<std::byte>&) override { return voxels_ + rows.first * row_bytes_; }
    void pack(const std::byte* fetched, RowRange, std::int64_t index, std::uint64_t* bits) const override {
        packer_.pack(isa_, fetched + index * row_bytes_, nx_, bits);
    }
    void pack_rows(const std::byte* fetched, RowRange, const PackedRows& to) const override {
        packer_.pack(isa_, {fetched + to.index * row_bytes_, row_bytes_, to.count}, nx_, to.bits);
    }
    const std::byte* values(const std::byte* fetched, RowRange, std::int64_t index) const override { return fetched + index * row_bytes_; }
    ScalarType value_type() const override { return packer_.type(); }
    Lifetime lifetime() const override { return Lifetime::source; }

private:
    const std::byte* voxels_;
    std::int64_t nx_, row_bytes_;
    const ForegroundPacker& packer_;
    Isa isa_;
    Access access_;
};

}  // namespace voxcc
