#include "src/parts/read_box.h"

#include <voxcc/source.h>
#include "src/parts/row_parts.h"
#include "src/pipeline/bit_columns.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace voxcc::parts {
namespace {

/// Voxels of a row of a box.
struct BoxRow {
    std::int64_t row, x, count;  // row: y + z * rows per slice; row and x in the box
    const std::byte* voxels;
};

/// Calls f(row) for rows, or parts of rows, that together are the voxels of a box. @param visits the calls that f supports
template <class F>
void for_each_row_of(io::VolumeReader& image, const Box& box, io::Visits visits, F&& f) {
    const std::int64_t ny = image.info().extent.ny, bytes = size_of(image.info().type);
    for_each_row_part_of(image, box, visits, [&](const io::RowPart& part) {
        const std::int64_t y = part.row % ny - box.first[1], z = part.row / ny - box.first[2];
        const std::int64_t first = std::max(part.x, box.first[0]), end = std::min(part.x + part.count, box.first[0] + box.count[0]);
        if (y < 0 || y >= box.count[1] || z < 0 || z >= box.count[2] || first >= end) return;
        f(BoxRow{z * box.count[1] + y, first - box.first[0], end - first, part.voxels + (first - part.x) * bytes});
    });
}

/// Copies the values of the foreground voxels of a row. @param bits of the row from column `first` on
void copy_values(const BoxRow& from, const std::uint64_t* bits, std::int64_t first, VolumeBits& to) {
    const std::int64_t bytes = size_of(to.value_type);
    std::byte* const values = to.values.data() + from.row * to.extent.nx * bytes;
    for (std::int64_t x = from.x; x < from.x + from.count; ++x)
        if (bits[(x - first) / 64] >> (x - first) % 64 & 1)
            std::memcpy(values + x * bytes, from.voxels + (x - from.x) * bytes, std::size_t(bytes));
}

/// Packs the voxels of one volume that are in a box.
class BoxPacker {
public:
    BoxPacker(const io::VolumeInfo& info, const ForegroundPacker& packer, const Box& box, Keep keep) : packer_(packer) {
        bits_.extent = box.extent();
        bits_.words = words_of(bits_.extent.nx);
        bits_.bits.resize(std::size_t(bits_.extent.rows() * bits_.words));
        bits_.value_type = info.type;
        if (keep == Keep::bits_and_values) bits_.values.resize(std::size_t(bits_.extent.voxels() * size_of(info.type)));
    }
    /// Thread-safe for different voxels.
    void add(const BoxRow& row) {
        set_columns(bits_.row(row.row), bits_.extent.nx, row.x, row.count, [&](std::uint64_t* packed) {
            const std::int64_t nan = packer_.pack(default_isa(), row.voxels, row.count, packed);
            if (nan > 0) nan_ += nan;
            if (!bits_.values.empty()) copy_values(row, packed, row.x, bits_);
        });
    }
    VolumeBits take() { return std::move(bits_); }
    std::int64_t nan_voxels() const { return nan_; }

private:
    const ForegroundPacker& packer_;
    std::atomic<std::int64_t> nan_{0};
    VolumeBits bits_;
};

/// Makes voxels outside the mask background.
void apply_mask(VolumeBits& image, const VolumeBits& mask) {
    for (std::size_t w = 0; w < image.bits.size(); ++w) image.bits[w] &= mask.bits[w];
    if (image.values.empty()) return;
    const std::int64_t bytes = size_of(image.value_type);
    for (std::int64_t row = 0, at = 0; row < image.extent.rows(); ++row)
        for (std::int64_t x = 0; x < image.extent.nx; ++x, at += bytes)
            if (!(image.row(row)[x / 64] >> x % 64 & 1)) std::memset(image.values.data() + at, 0, std::size_t(bytes));
}

}  // namespace

BoxBits read_mask(io::VolumeReader& mask, const Box& box) {
    const ForegroundPacker packer(mask.info().type, rule_of_mask(mask.info()));
    BoxPacker packed(mask.info(), packer, box, Keep::bits);
    for_each_row_of(mask, box, io::Visits::at_the_same_time, [&](const BoxRow& row) { packed.add(row); });
    return {packed.take(), packed.nan_voxels()};
}

BoxBits read_box(io::VolumeReader& image, const ForegroundPacker& packer, io::VolumeReader* mask, const Box& box, Keep keep) {
    BoxPacker packed(image.info(), packer, box, keep);
    for_each_row_of(image, box, io::Visits::at_the_same_time, [&](const BoxRow& row) { packed.add(row); });
    BoxBits bits{packed.take(), packed.nan_voxels()};
    if (!mask) return bits;
    const BoxBits of_mask = read_mask(*mask, box);
    apply_mask(bits.voxels, of_mask.voxels);
    bits.nan_voxels_of_mask = of_mask.nan_voxels;
    return bits;
}

IntensitySums measure_box(io::VolumeReader& image, const LabelledPart& part, const Box& box) {
    const std::int64_t bytes = size_of(image.info().type);
    IntensitySums sums(image.info().type);
    sums.reserve(part.state().sums.size());
    std::vector<std::uint32_t> numbers(std::size_t(box.count[0]));
    for_each_row_of(image, box, io::Visits::in_turn, [&](const BoxRow& row) {
        part.paint({row.row, 1}, reinterpret_cast<std::byte*>(numbers.data()));
        const std::uint64_t x = std::uint64_t(box.first[0] + row.x), y = std::uint64_t(box.first[1] + row.row % box.count[1]);
        const std::span<const std::uint32_t> of_row(numbers);
        sums.add_voxels({x, y, std::uint64_t(box.first[2] + row.row / box.count[1])},
                        of_row.subspan(std::size_t(row.x), std::size_t(row.count)), {row.voxels, std::size_t(row.count * bytes)});
    });
    return sums;
}

}  // namespace voxcc::parts
