// A stream slab as a row source of its own.
#pragma once
#include <voxcc/label.h>
#include <voxcc/source.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace voxcc::block_runs::streamed {

/// The stored values of the first and the last slice of a slab.
struct StoredFaces {
    std::vector<std::byte> first, last;  // [y][x]
};

/// The rows from `first_row` on of another source, which must outlive this one. If the other source is read in order, it must have been
/// read up to `first_row`.
class StreamSlabSource : public RowSource {
public:
    /// @param faces receives the values of the rows for which values() is called; must outlive the source. Null: values are not kept
    StreamSlabSource(RowSource& volume, const Extent& slab, std::int64_t first_row, StoredFaces* faces)
        : volume_(volume), slab_(slab), words_(std::size_t(words_of(slab.nx))), first_row_(first_row), faces_(faces) {
        if (!faces) return;
        faces->first.resize(std::size_t(slab.nx * slab.ny * size_of(value_type())));
        faces->last.resize(faces->first.size());
    }
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
        const std::byte* const values = volume_.values(fetched, of_volume(rows), index);
        if (faces_) keep(rows.first + index, values);
        return values;
    }
    ScalarType value_type() const override { return volume_.value_type(); }
    Lifetime lifetime() const override { return volume_.lifetime(); }

    /// A hash of the foreground of all rows that have been packed. It does not depend on the order of packing. Equal slabs have equal
    /// fingerprints; different slabs almost always have different ones.
    std::uint64_t fingerprint() const { return fingerprint_.load(std::memory_order_relaxed); }

private:
    static std::uint64_t mixed(std::uint64_t h) { return (h ^ h >> 32) * 0x9e3779b97f4a7c15; }
    RowRange of_volume(RowRange rows) const { return {rows.first + first_row_, rows.count}; }

    void keep(std::int64_t row, const std::byte* values) const {
        const std::size_t row_bytes = std::size_t(slab_.nx * size_of(value_type()));
        const std::size_t at = std::size_t(row % slab_.ny) * row_bytes;
        if (row < slab_.ny) std::copy_n(values, row_bytes, faces_->first.data() + at);
        if (row >= slab_.rows() - slab_.ny) std::copy_n(values, row_bytes, faces_->last.data() + at);
    }

    RowSource& volume_;
    Extent slab_;
    std::size_t words_;
    std::int64_t first_row_;
    StoredFaces* faces_;
    mutable std::atomic<std::uint64_t> fingerprint_{0};
};

}  // namespace voxcc::block_runs::streamed
