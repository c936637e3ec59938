// The voxels from which the level of a threshold is computed.
#pragma once
#include "io/io.h"

namespace voxcc {

/// All voxels of an image, or the voxels inside a mask of the same extent, where the mask is neither 0 nor NaN.
struct LevelVoxels {
    io::VolumeReader& image;
    io::VolumeReader* mask = nullptr;  // null: all voxels
    const io::VolumeInfo& info() const { return image.info(); }
    void rewind() const {
        image.rewind();
        if (mask) mask->rewind();
    }
};

}  // namespace voxcc
