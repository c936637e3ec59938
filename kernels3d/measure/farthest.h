// The largest distance between two points of a set: the Feret diameter of a component.
#pragma once
#include <voxcc/shape.h>

#include <span>

namespace voxcc {

/// The largest distance of two corners of a component, in mm. Exact except for the rounding of the distance itself.
///
/// The points are put into a tree of boxes. A pair of boxes is examined only if its largest possible distance exceeds the largest distance
/// found so far. For n points of a round surface, about n * sqrt(n) pairs are examined; at most n^2.
/// @param corners at least one. In Space::volume, each corner stands also for the corner above it, at z + 1
// corners of one voxel, 1 mm, Space::volume  ->  sqrt(3)
double largest_distance(std::span<const Corner> corners, Space space, const World& world);

}  // namespace voxcc
