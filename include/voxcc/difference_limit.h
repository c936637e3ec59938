// The limit of Rule::gradient for the voxels of a file or an array.
#pragma once
#include <voxcc/bound.h>
#include <voxcc/volume.h>

#include <limits>

namespace voxcc {

/// Rounds the largest difference that connects voxels to the precision of their values, as thresholds are rounded. A limit past the largest
/// float becomes infinity for f32.
/// @param most at least 0, in units of the stored values
// f32, 0.1 -> 0.100000001490, so 0.1f and 0.2f are connected; f64, 0.1 -> 0.1
inline Bound difference_limit(ScalarType type, const Bound& most) {
    if (type != ScalarType::f32) return most;
    return most.real > double(std::numeric_limits<float>::max()) ? std::numeric_limits<double>::infinity() : double(float(most.real));
}

}  // namespace voxcc
