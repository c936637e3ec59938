// Reads a box of a volume: the foreground into memory as bits and, if the rule compares values, the values; and intensities.
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

/// The mask of a box. @param mask at row 0 @throw the exceptions of the reader
BoxBits read_mask(io::VolumeReader& mask, const Box& box);

/// Measures an intensity image in the components of a part, in the coordinates of the volume.
/// @param image at row 0
/// @param part must be prepared to paint ScalarType::u32
/// @throw the exceptions of the readers
IntensitySums measure_box(io::VolumeReader& image, const LabelledPart& part, const Box& box);

}  // namespace voxcc::parts
