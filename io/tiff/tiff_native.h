// TIFF metadata that do not fit into VolumeInfo.
#pragma once
#include "io/io.h"

namespace voxcc::io {

struct TiffNative final : NativeHeader {
    std::optional<double> slice_distance;  // mm; single slices of a stack can state it, too
};

}  // namespace voxcc::io
