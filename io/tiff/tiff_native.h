// What a TIFF says that VolumeInfo has no place for.
#pragma once
#include "io/io.h"

namespace voxcc::io {

struct TiffNative final : NativeHeader {
    std::optional<double> slice_distance;  // mm; stated also by single slices of a stack
};

}  // namespace voxcc::io
