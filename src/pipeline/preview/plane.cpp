#include "src/pipeline/preview/plane.h"

namespace voxcc::preview {
namespace {

/// The extent of one plane across an axis.
Extent thin(Extent extent, std::size_t axis) {
    (axis == 0 ? extent.nx : axis == 1 ? extent.ny : extent.nz) = 1;
    return extent;
}

}  // namespace

Plane::Plane(const View& view, const Extent& extent, std::int64_t index, std::int64_t width, std::int64_t height)
    : axis_(view.away.stored), index_(index), projection_(view, thin(extent, axis_), width, height) {}

void Plane::add_labels(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels) {
    if (!contains_row(y, z)) return;
    projection_.add_labels(axis_ == 1 ? 0 : y, axis_ == 2 ? 0 : z, axis_ == 0 ? labels.subspan(std::size_t(index_), 1) : labels);
}

void Plane::add_values(std::int64_t x, std::int64_t y, std::int64_t z, std::span<const double> values) {
    if (!contains_row(y, z)) return;
    if (axis_ != 0) return projection_.add_values(x, axis_ == 1 ? 0 : y, axis_ == 2 ? 0 : z, values);
    if (index_ >= x && index_ < x + std::int64_t(values.size()))
        projection_.add_values(0, y, z, values.subspan(std::size_t(index_ - x), 1));
}

}  // namespace voxcc::preview
