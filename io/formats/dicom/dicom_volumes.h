// The frames of one or several DICOM objects as volumes: sorted by position, divided by time, echo and other dimensions.
#pragma once
#include "io/formats/dicom/dicom_object.h"

namespace voxcc::io {

struct DicomVolume {
    /// Per slice, the index of its frame; no_frame: background.
    std::vector<std::int64_t> slices;
    std::string name;  // what distinguishes the volume: "segment 2", "time point 3, echo time 4.6 ms"; empty for a single volume
    Geometry geometry;
    std::vector<std::string> warnings;
};
constexpr std::int64_t no_frame = -1;

/// The frames of all objects, in the order of the objects and of each file.
struct DicomFrameOf {
    const DicomObject* object = nullptr;
    const DicomFrame* frame = nullptr;
};

struct DicomVolumes {
    std::vector<DicomVolume> volumes;
    std::vector<VolumeAxis> axes;  // as VolumeInfo::volume_axes
};

/// Sorts frames into volumes.
/// @param path named in errors; a file or a folder
/// @param frames at least one. Several objects must have one frame each, which states its position
/// @throw Error about the content, naming the frames: a slice is missing, two frames have the same position and no dimension
/// distinguishes them, or frames of one volume have another orientation
// positions 6 0 3  ->  slices {1, 2, 0}
DicomVolumes arrange(const std::string& path, const std::vector<DicomFrameOf>& frames);

}  // namespace voxcc::io
