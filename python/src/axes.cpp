#include "python/src/axes.h"

#include <algorithm>
#include <cstdlib>

namespace voxcc::python {

namespace {

/// The axes with more than one voxel, the fastest of the order first.
std::vector<int> longer_axes(std::span<const Py_ssize_t> shape, Order order, int slice_axis) {
    std::vector<int> longer;
    for (int axis = 0; axis < int(shape.size()); ++axis)
        if (axis != slice_axis && shape[std::size_t(axis)] != 1) longer.push_back(axis);
    if (longer.size() > (slice_axis == Axes::none ? 3u : 2u)) throw Error(ErrorKind::invalid_argument, "array", "has more than three axes");
    if (order == Order::c) std::reverse(longer.begin(), longer.end());
    return longer;
}

}  // namespace

void Axes::set(const std::vector<int>& longer, int slice_axis, std::span<const Py_ssize_t> shape) {
    std::copy(longer.begin(), longer.end(), array_axis.begin());
    array_axis[2] = slice_axis == none ? array_axis[2] : slice_axis;
    const auto length = [&](int axis) { return axis == none ? 1 : std::int64_t(shape[std::size_t(axis)]); };
    extent = {length(array_axis[0]), length(array_axis[1]), length(array_axis[2])};
}

Axes::Axes(std::span<const Py_ssize_t> shape) { set(longer_axes(shape, Order::c, none), none, shape); }

Axes::Axes(const Array& array, Order order, int slice_axis) {
    std::vector<int> longer = longer_axes(array.shape(), order, slice_axis);
    const auto distance = [&](int axis) { return std::abs(array.strides()[std::size_t(axis)]); };
    if (slice_axis == none && longer.size() > 1 && distance(longer.back()) < distance(longer.front())) {
        std::reverse(longer.begin(), longer.end());
        numbering = Numbering::reversed;
    }
    set(longer, slice_axis, array.shape());
}

Strides Axes::strides_of(const Array& array) const {
    Strides strides{};
    for (std::size_t e = 0; e < 3; ++e) {
        const std::int64_t previous = e == 0 ? 0 : strides[e - 1] * std::array{extent.nx, extent.ny}[e - 1];
        if (array_axis[e] != none) strides[e] = array.strides()[std::size_t(array_axis[e])];
        else strides[e] = e == 0 ? array.bytes() / std::max<std::int64_t>(1, extent.voxels()) : previous;
    }
    return strides;
}

int Axes::engine_axis(int axis) const {
    const auto found = std::find(array_axis.begin(), array_axis.end(), axis);
    return found == array_axis.end() ? none : int(found - array_axis.begin());
}

}  // namespace voxcc::python
