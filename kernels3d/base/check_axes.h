// The longest axis that bounding boxes can describe.
#pragma once
#include <voxcc/volume.h>

#include <string>

namespace voxcc {

/// @throw Error invalid_extent if an axis has 2^32 voxels or more: bounding boxes hold 32 bits per index
inline void check_axes(const Extent& e, const std::string& subject) {
    for (const std::int64_t n : {e.nx, e.ny, e.nz})
        if (n >= std::int64_t{1} << 32)
            throw Error(ErrorKind::invalid_extent, subject, "an axis of " + std::to_string(n) + " voxels; 2^32 - 1 is the most");
}

}  // namespace voxcc
