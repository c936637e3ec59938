#include "src/pipeline/preview/projection.h"

#include <algorithm>

namespace voxcc::preview {
namespace {

std::int64_t cells_along(const ViewAxis& axis, const Extent& extent, std::int64_t pixels) {
    return std::min(voxels_along(extent, axis.stored), pixels);
}

void keep_nearer(Projection::Nearest& cell, std::uint64_t label, std::uint32_t depth) {
    if (label && depth < cell.depth) cell = {label, depth};
}

}  // namespace

Projection::Projection(const View& view, const Extent& extent, std::int64_t width, std::int64_t height)
    : view_(view),
      extent_(extent),
      width_(width),
      height_(height),
      cells_wide_(cells_along(view.right, extent, width)),
      cells_high_(cells_along(view.down, extent, height)),
      nearest_(std::size_t(cells_wide_ * cells_high_)),
      values_(nearest_.size(), no_value) {
    for (const ViewAxis& axis : {view.right, view.down})
        if (axis.stored == 0)
            for (std::int64_t x = 0; x < extent.nx; ++x) row_offsets_.push_back(std::size_t(offset_of(axis, x)));
}

/// The part of the index of a cell that comes from one axis of the picture. The depth does not change the cell.
std::int64_t Projection::offset_of(const ViewAxis& axis, std::int64_t index) const {
    const std::int64_t n = voxels_along(extent_, axis.stored), position = axis.position(index, n);
    if (axis.stored == view_.right.stored) return position * cells_wide_ / n;
    return position * cells_high_ / n * cells_wide_;
}

/// The cell of the voxels of a row, without the part that depends on x.
std::size_t Projection::first_cell(std::int64_t y, std::int64_t z) const {
    std::int64_t cell = 0;
    for (const ViewAxis& axis : {view_.right, view_.down})
        if (axis.stored != 0) cell += offset_of(axis, axis.stored == 1 ? y : z);
    return std::size_t(cell);
}

void Projection::add_labels(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels) {
    const std::size_t first = first_cell(y, z);
    const auto depth_of = [&](std::int64_t index) { return std::uint32_t(view_.away.position(index, voxels(view_.away))); };
    if (row_offsets_.empty()) {
        for (std::size_t x = 0; x < labels.size(); ++x) keep_nearer(nearest_[first], labels[x], depth_of(std::int64_t(x)));
        return;
    }
    const std::uint32_t depth = depth_of(view_.away.stored == 1 ? y : z);
    for (std::size_t x = 0; x < labels.size(); ++x) keep_nearer(nearest_[first + row_offsets_[x]], labels[x], depth);
}

void Projection::add_values(std::int64_t x, std::int64_t y, std::int64_t z, std::span<const double> values) {
    const std::size_t first = first_cell(y, z);
    for (std::size_t i = 0; i < values.size(); ++i) {
        double& value = values_[row_offsets_.empty() ? first : first + row_offsets_[std::size_t(x) + i]];
        value = std::max(value, values[i]);
    }
}

}  // namespace voxcc::preview
