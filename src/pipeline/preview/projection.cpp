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

void Projection::add_row(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels, std::span<const double> values) {
    std::size_t first = 0;
    for (const ViewAxis& axis : {view_.right, view_.down})
        if (axis.stored != 0) first += std::size_t(offset_of(axis, axis.stored == 1 ? y : z));
    if (view_.away.stored == 0) return add_along_depth(first, labels, values);
    const auto depth = std::uint32_t(view_.away.position(view_.away.stored == 1 ? y : z, voxels(view_.away)));
    for (std::size_t x = 0; x < labels.size(); ++x) keep_nearer(nearest_[first + row_offsets_[x]], labels[x], depth);
    for (std::size_t x = 0; x < values.size(); ++x) {
        double& value = values_[first + row_offsets_[x]];
        value = std::max(value, values[x]);
    }
}

void Projection::add_along_depth(std::size_t cell, std::span<const std::uint64_t> labels, std::span<const double> values) {
    for (std::size_t x = 0; x < labels.size(); ++x)
        if (labels[x]) keep_nearer(nearest_[cell], labels[x], std::uint32_t(view_.away.position(std::int64_t(x), voxels(view_.away))));
    values_[cell] = std::max(values_[cell], *std::ranges::max_element(values));
}

}  // namespace voxcc::preview
