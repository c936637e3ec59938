// Projects the labels and the values of a volume along one axis.
#pragma once
#include "src/pipeline/preview/views.h"

#include <limits>
#include <span>

namespace voxcc::preview {

/// One view of a volume in cells. A cell covers one voxel of the view, or several voxels if the panel has fewer pixels than voxels.
/// There are never more cells than pixels.
class Projection {
public:
    static constexpr double no_value = -std::numeric_limits<double>::infinity();

    struct Nearest {
        std::uint64_t label = 0;                                          // 0: background
        std::uint32_t depth = std::numeric_limits<std::uint32_t>::max();  // voxels from the front of the volume
    };

    static constexpr std::int64_t bytes_per_cell = sizeof(Nearest) + sizeof(double);

    /// @param width, height size of the panel in pixels; at least 1
    Projection(const View& view, const Extent& extent, std::int64_t width, std::int64_t height);

    /// Adds the labels of the row (y, z) of the volume. If several voxels of a cell are equally near, the first one added is shown.
    /// @param labels one per voxel of the row
    void add_labels(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels);

    /// Adds values of consecutive voxels. The order of the calls does not change the result.
    /// @param x index of the first voxel in the row (y, z)
    /// @param values one per voxel; no_value: the value does not count
    void add_values(std::int64_t x, std::int64_t y, std::int64_t z, std::span<const double> values);

    const View& view() const { return view_; }
    /// The number of voxels along an axis of the view.
    std::int64_t voxels(const ViewAxis& axis) const { return voxels_along(extent_, axis.stored); }
    std::int64_t cells_wide() const { return cells_wide_; }
    std::int64_t cells_high() const { return cells_high_; }
    /// The index of the cell that the pixel (x, y) of the panel shows.
    std::size_t cell_at(std::int64_t x, std::int64_t y) const {
        return std::size_t(y * cells_high_ / height_ * cells_wide_ + x * cells_wide_ / width_);
    }
    /// The component that is nearest to the viewer, per cell.
    const std::vector<Nearest>& nearest() const { return nearest_; }
    /// The largest value, per cell.
    const std::vector<double>& values() const { return values_; }

private:
    std::int64_t offset_of(const ViewAxis& axis, std::int64_t index) const;
    std::size_t first_cell(std::int64_t y, std::int64_t z) const;

    View view_;
    Extent extent_;
    std::int64_t width_, height_;
    std::int64_t cells_wide_, cells_high_;
    std::vector<std::size_t> row_offsets_;  // of the voxels of a row; empty if the view is along i
    std::vector<Nearest> nearest_;
    std::vector<double> values_;
};

}  // namespace voxcc::preview
