// Reads a box of a volume into memory: the foreground as bits and, if the rule compares values, the values.
#pragma once
#include <voxcc/foreground.h>
#include <voxcc/parts.h>
#include "src/pipeline/sources.h"

namespace voxcc::parts {

/// The foreground of a box, and the numbers of its NaN voxels.
struct BoxBits {
    VolumeBits voxels;  // values of background voxels are 0
    std::int64_t nan_voxels = 0, nan_voxels_of_mask = 0;
};

/// Reads a box. Chunks and rows outside the box are read only if the format does not allow to skip them.
/// @param image, mask at row 0; the mask may be null
/// @param packer for the type of the image
/// @throw the exceptions of the readers
BoxBits read_box(io::VolumeReader& image, const ForegroundPacker& packer, io::VolumeReader* mask, const Box& box, Keep keep);

}  // namespace voxcc::parts
