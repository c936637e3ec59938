#include "src/pipeline/sources.h"

#include <voxcc/bits.h>

#include <algorithm>
#include <cstring>

namespace voxcc {

ReaderSource::ReaderSource(io::VolumeReader& image, const ForegroundPacker& packer, io::VolumeReader* mask, block_runs::Isa isa, Keep keep,
                           std::function<void(std::int64_t)> on_rows)
    : image_(image, packer, isa, keep),
      value_type_(packer.type()),
      keep_(keep),
      on_rows_(std::move(on_rows)),
      words_(words_of(image.info().extent.nx)),
      rows_per_fetch_(costs(image, mask, keep).rows_per_fetch) {
    if (!mask) return;
    mask_packer_ = std::make_unique<ForegroundPacker>(mask->info().type, rule_of_mask(mask->info()));
    mask_.emplace(*mask, *mask_packer_, isa, Keep::bits);
}

ForegroundRows::Costs ReaderSource::costs(const io::VolumeReader& image, const io::VolumeReader* mask, Keep keep) {
    constexpr std::int64_t fetch_bytes = 1 << 20;
    ForegroundRows::Costs costs = ForegroundRows::costs(image, keep);
    if (mask) {
        const ForegroundRows::Costs of_mask = ForegroundRows::costs(*mask, Keep::bits);
        costs.row_bytes += of_mask.row_bytes;
        costs.held_bytes += of_mask.held_bytes;
    }
    costs.rows_per_fetch *= std::max<std::int64_t>(fetch_bytes / costs.row_bytes / costs.rows_per_fetch, 1);
    return costs;
}

void ReaderSource::allow_concurrent_access() {
    if (image_.reads_anywhere() && (!mask_ || mask_->reads_anywhere())) access_ = Access::concurrent;
}

void ReaderSource::rewind() {
    image_.rewind();
    if (mask_) mask_->rewind();
    on_rows_ = [](std::int64_t) {};
}

const std::byte* ReaderSource::fetch(RowRange rows, std::vector<std::byte>& buffer) {
    const std::int64_t image_bytes = rows.count * image_.row_bytes();
    const std::size_t bytes = std::size_t(image_bytes + (mask_ ? rows.count * mask_->row_bytes() : 0));
    if (buffer.size() < bytes) buffer.resize(bytes);
    image_.fetch(rows, buffer.data());
    if (mask_) mask_->fetch(rows, buffer.data() + image_bytes);
    on_rows_(rows_read_ += rows.count);
    return buffer.data();
}

void ReaderSource::pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const {
    image_.pack(fetched + index * image_.row_bytes(), rows.first + index, bits);
    if (!mask_) return;
    thread_local std::vector<std::uint64_t> mask;
    mask.resize(std::size_t(words_));
    mask_->pack(fetched + rows.count * image_.row_bytes() + index * mask_->row_bytes(), rows.first + index, mask.data());
    for (std::size_t w = 0; w < mask.size(); ++w) bits[w] &= mask[w];
}

void ReaderSource::pack_mask(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const {
    mask_->pack_again(fetched + rows.count * image_.row_bytes() + index * mask_->row_bytes(), bits);
}

PackMask ReaderSource::mask_packer() const {
    if (!mask_) return {};
    return
        [this](const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) { pack_mask(fetched, rows, index, bits); };
}

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

VolumeBits read_bits(block_runs::RowSource& source, const Extent& stored, std::int64_t first_row, Axis slices, Keep keep,
                     const PackMask& pack_mask) {
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
