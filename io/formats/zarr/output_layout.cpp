#include "io/formats/zarr/output_layout.h"

#include "io/label_chunk.h"

#include <algorithm>

namespace voxcc::io::zarr {
namespace {

constexpr std::int64_t voxels_per_shard = std::int64_t{1} << 27, columns_per_shard = 8192;

constexpr std::int64_t pieces(std::int64_t extent, std::int64_t piece) { return (extent - 1) / piece + 1; }

/// The smallest multiple of `step` that covers `extent`, or a smaller one if it exceeds `most`.
std::int64_t multiple(std::int64_t extent, std::int64_t step, std::int64_t most) {
    return std::min(pieces(extent, step), std::max<std::int64_t>(most / step, 1)) * step;
}

}  // namespace

template <class OfOuter>
std::vector<std::int64_t> ArrayForm::per_axis(const Extent& extent, const OfOuter& of_outer) const {
    std::vector<std::int64_t> numbers;
    for (const OuterAxis& axis : outer) numbers.push_back(of_outer(axis));
    if (axes_of_volume == 3) numbers.push_back(extent.nz);
    numbers.push_back(extent.ny);
    numbers.push_back(extent.nx);
    return numbers;
}

std::vector<std::int64_t> ArrayForm::shape(const Extent& extent) const {
    return per_axis(extent, [](const OuterAxis& axis) { return axis.extent; });
}

std::vector<std::int64_t> ArrayForm::chunk(const Extent& extent) const {
    return per_axis(extent, [](const OuterAxis&) { return 1; });
}

std::vector<std::int64_t> ArrayForm::position(std::int64_t volume, const Extent& index) const {
    return per_axis(index, [&](const OuterAxis& axis) { return volume / axis.stride % axis.extent; });
}

ArrayLayout ArrayLayout::of(std::string path, const Extent& extent, int format) {
    ArrayLayout layout{std::move(path), extent, label_chunk(extent), {}};
    const Extent& chunk = layout.chunk;
    layout.unit = chunk;
    if (format != 3) return layout;
    const std::int64_t rows =
        extent.nz == 1 ? layout.rows_per_block() : multiple(extent.ny, chunk.ny, voxels_per_shard / (chunk.nz * extent.nx));
    layout.unit = {multiple(extent.nx, chunk.nx, columns_per_shard), rows, chunk.nz};
    return layout;
}

std::int64_t ArrayLayout::rows_per_block() const {
    return extent.nz == 1 ? multiple(extent.ny, chunk.ny, voxels_per_label_block / extent.nx) : chunk.nz * extent.ny;
}

std::vector<Extent> ArrayLayout::units_of(std::int64_t block) const {
    const bool is_image = extent.nz == 1;
    const std::int64_t per_column = pieces(extent.ny, unit.ny), per_block = is_image ? rows_per_block() / unit.ny : per_column;
    const std::int64_t first = is_image ? block * per_block : 0, last = std::min(first + per_block, per_column);
    std::vector<Extent> units;
    for (std::int64_t y = first; y < last; ++y)
        for (std::int64_t x = 0; x < pieces(extent.nx, unit.nx); ++x) units.push_back({x, y, is_image ? 0 : block});
    return units;
}

std::vector<Extent> pyramid_of(const Extent& extent) {
    constexpr std::int64_t smallest = 256;
    std::vector<Extent> levels{extent};
    while (std::max({levels.back().nx, levels.back().ny, levels.back().nz}) > smallest) {
        const Extent& e = levels.back();
        levels.push_back({(e.nx + 1) / 2, (e.ny + 1) / 2, (e.nz + 1) / 2});
    }
    return levels;
}

}  // namespace voxcc::io::zarr
