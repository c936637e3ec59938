// Columns of the shape of components.
#pragma once
#include "python/src/components.h"

#include <voxcc/shape.h>

#include <algorithm>

namespace voxcc::python {

/// The axes in which shapes are described, so that they do not depend on the layout of an array. In 2D arrays and separate slices, the axes
/// of the plane come first.
class ShapeFrame {
public:
    /// @param slice_axis the axis across which slices are separate, or Axes::none
    /// @param spacing empty: 1 along each axis
    ShapeFrame(const Axes& axes, int dimensions, int slice_axis, const Spacing& spacing);
    Space space() const { return space_; }
    int dimensions() const { return dimensions_; }
    /// Maps the indices of the engine to positions along the axes of the array.
    const World& engine_world() const { return engine_world_; }
    /// @param counts in the axes of the engine
    /// @param feret from a ShapeTable
    /// @return `axes` are unit vectors in the axes of the frame
    ShapeProperties describe(const MeasuredComponent& component, const ShapeCounts& counts, std::optional<double> feret) const;
    /// The axis of the frame that is an axis of the array.
    std::size_t frame_axis(int axis) const { return std::size_t(std::find(axes_.begin(), axes_.end(), axis) - axes_.begin()); }

private:
    ShapeCounts turned(const ShapeCounts& counts) const;

    Space space_;
    int dimensions_;
    std::array<int, 3> axes_;  // the axes of the array; Axes::none: the array has fewer
    std::array<int, 3> from_;  // the axis of the engine of each axis of the frame
    World world_, engine_world_;
    ShapeScale scale_;
    double thickness_ = 0;  // of a volume of one slice, in which the engine measures feret in the plane
};

/// A component in the axes of the engine, and its row in a ShapeTable.
struct ShapedComponent {
    MeasuredComponent measured;
    std::uint64_t row;
};

/// Adds the columns surface and surface_faces; in a plane perimeter and perimeter_sides. Also euler_number, sphericity,
/// equivalent_diameter, extent, feret, axis_N_A (unit vectors) and axis_N_length. N is a principal axis, A an axis of the array.
/// @param component called as component(row) by several threads
void add_shape(Columns& table, const ShapeTable& shapes, const std::function<ShapedComponent(std::size_t)>& component,
               const ShapeFrame& frame);

}  // namespace voxcc::python
