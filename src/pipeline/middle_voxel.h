// The voxel of a component that is nearest to its centroid.
#pragma once
#include <voxcc/label.h>
#include "src/messages/progress.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/inside_voxels.h"
#include "src/pipeline/largest_components.h"

namespace voxcc {

/// Finds the voxel in one pass over the slices of the first component. Of equally near voxels, the first in raster order is taken.
/// @param painter of ScalarType::u64 @param largest must not be empty @param spacing lengths of the steps along i, j, k
VoxelIndex middle_voxel(const Painter& painter, const Extent& extent, const LargestComponents& largest, const Spacing& spacing,
                        ProgressBar& progress);

}  // namespace voxcc
