// A stream slab as a row source of its own.
#pragma once
#include <voxcc/bits.h>
#include <voxcc/labelling.h>

#include <atomic>

namespace voxcc::block_runs::streamed {

/// The rows from `first_row` on of another source, which must outlive this one. If the other source is read in order, it must have been
/// read up to `first_row`.
class StreamSlabSource : public RowSource {
public:
    StreamSlabSource(RowSource& volume, const Extent& slab, std::int64_t first_row)
        : volume_(volume), words_(std::size_t(words_of(slab.nx))), first_row_(first_row) {}
    Access access() const override { return volume_.access(); }
    std::int64_t rows_per_fetch() const override { return volume_.rows_per_fetch(); }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override { return volume_.fetch(of_volume(rows), buffer); }
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        volume_.pack(fetched, of_volume(rows), index, bits);
        std::uint64_t hash = std::uint64_t(rows.first + index);
        for (std::size_t w = 0; w < words_; ++w) hash = mixed(hash ^ bits[w]);
        fingerprint_.fetch_add(mixed(hash), std::memory_order_relaxed);
    }
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override {
        return volume_.values(fetched, of_volume(rows), index);
    }
    ScalarType value_type() const override { return volume_.value_type(); }
    Lifetime lifetime() const override { return volume_.lifetime(); }

    /// A hash of the foreground of all rows that have been packed. It does not depend on the order of packing. Equal slabs have equal
    /// fingerprints; different slabs almost always have different ones.
    std::uint64_t fingerprint() const { return fingerprint_.load(std::memory_order_relaxed); }

private:
    static std::uint64_t mixed(std::uint64_t h) { return (h ^ h >> 32) * 0x9e3779b97f4a7c15; }
    RowRange of_volume(RowRange rows) const { return {rows.first + first_row_, rows.count}; }

    RowSource& volume_;
    std::size_t words_;
    std::int64_t first_row_;
    mutable std::atomic<std::uint64_t> fingerprint_{0};
};

}  // namespace voxcc::block_runs::streamed
