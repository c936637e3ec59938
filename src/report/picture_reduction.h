// Reduces a picture further, without reading its volumes again.
#pragma once
#include "src/report/picture.h"

namespace voxcc::report {

/// A picture with at most `voxel_limit` voxels (at least 1 per axis). A grey value is the mean of the grey values that it replaces. A label
/// is the label of the smallest component, as if read_picture() had read the picture with these steps.
Picture reduced(const Picture& picture, const PictureComponents& components, std::int64_t voxel_limit);

}  // namespace voxcc::report
