// The labels and the values of a volume in one plane across a stored axis.
#pragma once
#include "src/pipeline/preview/projection.h"

namespace voxcc::preview {

/// A plane, as a projection that is one voxel deep.
class Plane {
public:
    /// @param view from the front of the plane
    /// @param index of the plane along the axis `view.away`
    /// @param width, height size of the panel in pixels; at least 1
    Plane(const View& view, const Extent& extent, std::int64_t index, std::int64_t width, std::int64_t height);

    /// Adds the labels of the row (y, z) of the volume, if the plane contains a part of it.
    void add_labels(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels);

    /// Adds values of consecutive voxels of the row (y, z), of which `x` is the first. See Projection::add_values().
    void add_values(std::int64_t x, std::int64_t y, std::int64_t z, std::span<const double> values);

    const Projection& projection() const { return projection_; }

private:
    bool contains_row(std::int64_t y, std::int64_t z) const { return axis_ == 0 || (axis_ == 1 ? y : z) == index_; }

    std::size_t axis_;  // across the plane
    std::int64_t index_;
    Projection projection_;
};

}  // namespace voxcc::preview
