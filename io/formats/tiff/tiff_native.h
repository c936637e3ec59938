// TIFF metadata that do not fit into VolumeInfo.
#pragma once
#include "io/io.h"

namespace voxcc::io {

struct TiffNative final : NativeHeader {
    bool states_slice_distance = false;  // the spacing along z is stated; single slices of a stack can state it, too
};

}  // namespace voxcc::io
