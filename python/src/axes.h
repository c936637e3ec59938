// How the axes of an array become the axes x, y, z of the engine.
#pragma once
#include "python/src/array.h"

#include <vector>

namespace voxcc::python {

/// The order in which the voxels of an array are compared to number components: last axis fastest (C), or first axis fastest (F).
enum class Order { c, f };

/// The axes of an array as axes of the engine. Axes of length 1 are left out. Each row of the engine lies along the last or the first axis
/// of the array, whichever has the shorter stride.
// C array of shape (4, 3, 2), order C: array_axis {2, 1, 0}, numbering straight
// F array of shape (4, 3, 2), order C: array_axis {0, 1, 2}, numbering reversed
struct Axes {
    static constexpr int none = -1;
    std::array<int, 3> array_axis{none, none, none};  // of x, y, z; none: the length along this axis of the engine is 1
    enum class Numbering { straight, reversed } numbering = Numbering::straight;  // reversed: numbers with x slowest are the numbers
    Extent extent;

    /// @param slice_axis the axis across which slices are labelled separately; it becomes z. none: no such axis
    Axes(const Array& array, Order order, int slice_axis);
    /// The axes of an array without gaps, whose elements are compared in the order in which they are in memory.
    /// @param layout c: the last axis is the fastest; f: the first axis
    /// @param slice_axis the axis across which slices are labelled separately; it must be the slowest axis in memory. The others have the
    ///     layout
    Axes(std::span<const Py_ssize_t> shape, Order layout, int slice_axis);
    /// The strides of an array of the same shape.
    Strides strides_of(const Array& array) const;
    VolumeView view_of(const Array& array) const { return {array.data(), array.type(), extent, strides_of(array)}; }
    /// The engine's axis of an axis of the array; none for an axis of length 1.
    int engine_axis(int axis) const;

private:
    /// @param longer axes with more than one voxel, the fastest first
    void set(std::span<const Py_ssize_t> shape, const std::vector<int>& longer, int slice_axis);
};

}  // namespace voxcc::python
