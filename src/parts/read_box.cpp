#include "src/parts/read_box.h"

#include <voxcc/bits.h>
#include "src/parts/row_parts.h"

#include <algorithm>
#include <cstring>

namespace voxcc::parts {
namespace {

/// Packs the voxels of one volume that are in a box.
class BoxPacker {
public:
    BoxPacker(const io::VolumeInfo& info, const ForegroundPacker& packer, const Box& box, Keep keep)
        : packer_(packer), box_(box), ny_(info.extent.ny), bytes_(size_of(info.type)) {
        bits_.extent = box.extent();
        bits_.words = words_of(bits_.extent.nx);
        bits_.bits.resize(std::size_t(bits_.extent.rows() * bits_.words));
        bits_.value_type = info.type;
        if (keep == Keep::bits_and_values) bits_.values.resize(std::size_t(bits_.extent.voxels() * bytes_));
    }
    void add(const io::RowPart& part) {
        const std::int64_t y = part.row % ny_ - box_.first[1], z = part.row / ny_ - box_.first[2];
        const std::int64_t first = std::max(part.x, box_.first[0]), end = std::min(part.x + part.count, box_.first[0] + box_.count[0]);
        if (y < 0 || y >= box_.count[1] || z < 0 || z >= box_.count[2] || first >= end) return;
        const std::byte* const voxels = part.voxels + (first - part.x) * bytes_;
        const std::int64_t row = z * box_.count[1] + y, x = first - box_.first[0], count = end - first;
        packed_.resize(std::size_t(words_of(count)));
        nan_ += packer_.pack(block_runs::default_isa(), voxels, count, packed_.data());
        std::uint64_t* const to = bits_.row(row) + x / 64;
        const std::int64_t shift = x % 64;
        for (std::size_t w = 0; w < packed_.size(); ++w) {
            to[w] |= packed_[w] << shift;
            // The word after the last column may not exist. Its bits are 0.
            if (const std::uint64_t next = shift ? packed_[w] >> (64 - shift) : 0) to[w + 1] |= next;
        }
        if (bits_.values.empty()) return;
        std::byte* const values = bits_.values.data() + (row * box_.count[0] + x) * bytes_;
        for (std::int64_t i = 0; i < count; ++i)
            if (packed_[std::size_t(i / 64)] >> i % 64 & 1) std::memcpy(values + i * bytes_, voxels + i * bytes_, std::size_t(bytes_));
    }
    VolumeBits take() { return std::move(bits_); }
    std::int64_t nan_voxels() const { return nan_; }

private:
    const ForegroundPacker& packer_;
    Box box_;
    std::int64_t ny_, bytes_, nan_ = 0;
    VolumeBits bits_;
    std::vector<std::uint64_t> packed_;
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

BoxBits read_box(io::VolumeReader& image, const ForegroundPacker& packer, io::VolumeReader* mask, const Box& box, Keep keep) {
    BoxPacker packed(image.info(), packer, box, keep);
    for_each_row_part_of(image, box, [&](const io::RowPart& part) { packed.add(part); });
    BoxBits bits{packed.take(), packed.nan_voxels()};
    if (!mask) return bits;
    ForegroundRule rule;
    rule.slope = mask->info().scaling.slope, rule.intercept = mask->info().scaling.intercept;
    const ForegroundPacker mask_packer(mask->info().type, rule);
    BoxPacker of_mask(mask->info(), mask_packer, box, Keep::bits);
    for_each_row_part_of(*mask, box, [&](const io::RowPart& part) { of_mask.add(part); });
    apply_mask(bits.voxels, of_mask.take());
    bits.nan_voxels_of_mask = of_mask.nan_voxels();
    return bits;
}

IntensitySums measure_box(io::VolumeReader& image, const LabelledPart& part, const Box& box) {
    const io::VolumeInfo& info = image.info();
    const std::int64_t bytes = size_of(info.type);
    IntensitySums sums(info.type);
    std::vector<std::uint32_t> numbers(std::size_t(box.count[0]));
    for_each_row_part_of(image, box, [&](const io::RowPart& row) {
        const std::int64_t y = row.row % info.extent.ny, z = row.row / info.extent.ny;
        const std::int64_t in_y = y - box.first[1], in_z = z - box.first[2];
        const std::int64_t first = std::max(row.x, box.first[0]), end = std::min(row.x + row.count, box.first[0] + box.count[0]);
        if (in_y < 0 || in_y >= box.count[1] || in_z < 0 || in_z >= box.count[2] || first >= end) return;
        part.paint({in_z * box.count[1] + in_y, 1}, reinterpret_cast<std::byte*>(numbers.data()));
        const std::span<const std::uint32_t> of_row(numbers);
        sums.add_voxels({std::uint64_t(first), std::uint64_t(y), std::uint64_t(z)},
                        of_row.subspan(std::size_t(first - box.first[0]), std::size_t(end - first)),
                        {row.voxels + (first - row.x) * bytes, std::size_t((end - first) * bytes)});
    });
    return sums;
}

}  // namespace voxcc::parts
