// Thresholds that are computed from an array.
#pragma once
#include "python/src/array.h"

namespace voxcc::python {

/// Computes the level of the voxels of an array, or of the voxels where a mask of the same shape is neither 0 nor NaN. Must be called with
/// the GIL.
/// @throw Error invalid_argument if the values do not have a level
Bound level_of_array(const Array& voxels, const Array* mask, const LevelRule& rule);

}  // namespace voxcc::python
