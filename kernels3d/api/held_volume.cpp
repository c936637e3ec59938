// Reads the foreground of a volume into memory, with exchanged axes.
#include <voxcc/source.h>

#include <algorithm>
#include <cstring>

namespace voxcc {
namespace {

/// Exchanges the axes of rows: see VolumeBits.
class RowPlacer {
public:
    RowPlacer(const Extent& stored, Axis slices) : stored_(stored), slices_(slices) {}
    Extent extent() const {
        if (slices_ == Axis::z) return stored_;
        return slices_ == Axis::y ? Extent{stored_.nx, stored_.nz, stored_.ny} : Extent{stored_.ny, stored_.nz, stored_.nx};
    }
    /// @param row number of a stored row @param bits of the row @param to [extent().rows()][words]
    void place(std::int64_t row, const std::uint64_t* bits, std::uint64_t* to) const {
        const std::int64_t y = row % stored_.ny, z = row / stored_.ny, words = words_of(extent().nx);
        if (slices_ != Axis::x) {
            std::copy_n(bits, words, to + row_of(row) * words);
            return;
        }
        for (std::int64_t x = 0; x < stored_.nx; ++x)  // the row has one voxel in each slice
            to[(x * stored_.nz + z) * words + y / 64] |= (bits[x / 64] >> x % 64 & 1) << y % 64;
    }
    /// The same for values. @param to [extent().voxels()]
    void place(std::int64_t row, const std::byte* values, std::byte* to, std::int64_t bytes) const {
        const std::int64_t y = row % stored_.ny, z = row / stored_.ny;
        if (slices_ != Axis::x) {
            std::memcpy(to + row_of(row) * stored_.nx * bytes, values, std::size_t(stored_.nx * bytes));
            return;
        }
        for (std::int64_t x = 0; x < stored_.nx; ++x)
            std::memcpy(to + ((x * stored_.nz + z) * stored_.ny + y) * bytes, values + x * bytes, std::size_t(bytes));
    }

private:
    std::int64_t row_of(std::int64_t row) const { return slices_ == Axis::y ? row % stored_.ny * stored_.nz + row / stored_.ny : row; }
    Extent stored_;
    Axis slices_;
};

}  // namespace

VolumeBits read_bits(RowSource& source, const Extent& stored, std::int64_t first_row, Axis slices, Keep keep, const PackMask& pack_mask) {
    const RowPlacer placer(stored, slices);
    VolumeBits held;
    held.extent = placer.extent();
    held.words = words_of(held.extent.nx);
    held.bits.resize(std::size_t(held.extent.rows() * held.words));
    held.value_type = source.value_type();
    const std::int64_t bytes = size_of(held.value_type);
    if (keep == Keep::bits_and_values) held.values.resize(std::size_t(held.extent.voxels() * bytes));
    if (pack_mask) held.mask.resize(held.bits.size());
    std::vector<std::byte> buffer;
    std::vector<std::uint64_t> bits(std::size_t(words_of(stored.nx)));
    for (std::int64_t first = 0; first < stored.rows(); first += source.rows_per_fetch()) {
        const RowRange rows{first_row + first, std::min(source.rows_per_fetch(), stored.rows() - first)};
        const std::byte* const fetched = source.fetch(rows, buffer);
        for (std::int64_t i = 0; i < rows.count; ++i) {
            source.pack(fetched, rows, i, bits.data());
            placer.place(first + i, bits.data(), held.bits.data());
            if (pack_mask) {
                pack_mask(fetched, rows, i, bits.data());
                placer.place(first + i, bits.data(), held.mask.data());
            }
            if (!held.values.empty()) placer.place(first + i, source.values(fetched, rows, i), held.values.data(), bytes);
        }
    }
    return held;
}

}  // namespace voxcc
