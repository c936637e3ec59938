// The dimensions of a multi-frame DICOM object: what distinguishes frames at the same position.
#pragma once
#include "io/formats/dicom/dicom_object.h"

namespace voxcc::io {

/// The functional groups of one frame.
struct DicomGroups {
    const DicomDataSet* shared = nullptr;  // null: the object has none
    const DicomDataSet* own = nullptr;
    /// @return the item of a group, first of the frame, then of all frames; null if neither has it
    const DicomDataSet* find(std::uint32_t group) const;
};

/// Fills object.dimensions and their values in object.frames. Dimensions with one value are left out.
/// @param groups of each frame; empty if the object has none
/// @throw Error about the content
void read_dimensions(const DicomBytes& bytes, const DicomDataSet& data, const std::vector<DicomGroups>& groups, DicomObject& object);

}  // namespace voxcc::io
