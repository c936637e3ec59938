// What a DICOM object states about its frames: position, orientation, spacing, transform of the values, and dimensions such as time.
#pragma once
#include "io/formats/dicom/dicom_object.h"

namespace voxcc::io {

/// Fills object.frames, whose number is final, object.dimensions and object.space. Reads the first of:
/// functional groups of each frame and of all frames (enhanced objects), offsets of frames (RT dose), vectors (nuclear medicine), or
/// the elements of the object.
/// @throw Error about the content if a number is not valid, or if a frame has no functional groups
void read_frames(const DicomBytes& bytes, const DicomDataSet& data, DicomObject& object);

}  // namespace voxcc::io
