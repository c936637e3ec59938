#include "src/pipeline/mask_border.h"

#include <voxcc/source.h>
#include "src/pipeline/foreground_rows.h"
#include "src/pipeline/input.h"

#include <algorithm>

namespace voxcc {

MaskBorder::MaskBorder(const Extent& extent, std::optional<Axis> across, const std::array<std::int64_t, 3>& period,
                       std::uint64_t components)
    : extent_(extent), touches_(std::size_t(components)) {
    const auto voxels = std::size_t(extent.nx * extent.ny);
    current_ = {std::vector<std::uint64_t>(voxels), std::vector<char>(voxels)};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        is_neighbour_[axis] = !across || *across != Axis(axis);
        is_periodic_[axis] = is_neighbour_[axis] && period[axis] > 1;
    }
}

void MaskBorder::add_row(std::span<const std::uint64_t> components, std::span<const std::uint64_t> mask) {
    const std::int64_t begin = row_ % extent_.ny * extent_.nx;
    std::ranges::copy(components, current_.components.begin() + begin);
    for (std::int64_t x = 0; x < extent_.nx; ++x) current_.in_mask[std::size_t(begin + x)] = char(mask[std::size_t(x / 64)] >> x % 64 & 1);
    if (++row_ % extent_.ny == 0) end_slice();
}

void MaskBorder::meet(const Slice& a, std::int64_t at, const Slice& b, std::int64_t other) {
    const std::uint64_t component = a.components[std::size_t(at)], neighbour = b.components[std::size_t(other)];
    if (component && !b.in_mask[std::size_t(other)]) touches_[std::size_t(component - 1)] = true;
    if (neighbour && !a.in_mask[std::size_t(at)]) touches_[std::size_t(neighbour - 1)] = true;
}

void MaskBorder::end_slice() {
    const std::int64_t nx = extent_.nx, ny = extent_.ny, z = row_ / ny - 1;
    for (std::int64_t y = 0, at = 0; y < ny; ++y)
        for (std::int64_t x = 0; x < nx; ++x, ++at) {
            if (is_neighbour_[0] && x > 0) meet(current_, at, current_, at - 1);
            if (is_periodic_[0] && x == 0) meet(current_, at, current_, at + nx - 1);
            if (is_neighbour_[1] && y > 0) meet(current_, at, current_, at - nx);
            if (is_periodic_[1] && y == 0) meet(current_, at, current_, at + (ny - 1) * nx);
            if (is_neighbour_[2] && z > 0) meet(current_, at, last_, at);
        }
    if (is_periodic_[2] && z == 0) first_ = current_;
    if (is_periodic_[2] && z == extent_.nz - 1)
        for (std::int64_t at = 0; at < nx * ny; ++at) meet(current_, at, first_, at);
    if (last_.components.empty()) last_ = current_;
    else std::swap(last_, current_);
}

std::vector<bool> components_at_mask_border(const Painter& labels, io::VolumeReader& mask, std::optional<Axis> across,
                                            const std::array<std::int64_t, 3>& period, std::uint64_t components) {
    const Extent& extent = mask.info().extent;
    const ForegroundPacker packer(mask.info().type, rule_of_mask(mask.info()));
    MaskBorder border(extent, across, period, components);
    RowStream rows(mask);
    std::vector<std::uint64_t> bits(std::size_t(words_of(extent.nx)));
    for_each_painted_row(labels, extent, [&](std::int64_t, std::span<const std::uint64_t> numbers) {
        packer.pack(default_isa(), rows.next().data(), extent.nx, bits.data());
        border.add_row(numbers, bits);
    });
    return border.take();
}

}  // namespace voxcc
