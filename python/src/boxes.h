// Bounding boxes as tuples of slices.
#pragma once
#include "python/src/array.h"

namespace voxcc::python {

/// A list with one entry per row: the tuple of slice(low, high) of each axis, or None. The loops of Python take five times as long.
/// @param low, high int64 in C order, of shape (rows, axes)
/// @param present bool, of shape (rows): whether the row has a box
// low {{0, 2}, {0, 0}}, high {{1, 4}, {0, 0}}, present {true, false}  ->  [(slice(0, 1), slice(2, 4)), None]
nb::list box_slices(const Array& low, const Array& high, const Array& present);

}  // namespace voxcc::python
