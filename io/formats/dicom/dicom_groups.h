// Division of the frames of DICOM objects into groups, one per volume.
#pragma once
#include "io/formats/dicom/dicom_volumes.h"

namespace voxcc::io {

using FrameIndices = std::vector<std::int64_t>;

struct DicomGrouping {
    std::vector<FrameIndices> groups;     // in the order of the file
    std::vector<std::size_t> dimensions;  // which divide the frames, slowest first
};

/// Positions of frames along the normal of the first of them.
struct PositionsAlongNormal {
    std::vector<double> mm;  // of each frame
    double tolerance = 0;    // positions that differ by less are the same
};

/// @param indices at least one; all these frames must have a plane
PositionsAlongNormal positions_along_normal(const std::vector<DicomFrameOf>& frames, const FrameIndices& indices);

/// Divides frames by the dimensions that always divide them. Then, while two frames of a group have the same position, divides by one more
/// dimension: the first that distinguishes such frames, and has not more values than there are frames at one position.
// positions 0 3 0 3, time points 1 1 2 2  ->  {0 1}, {2 3}
DicomGrouping group_frames(const std::vector<DicomFrameOf>& frames);

}  // namespace voxcc::io
