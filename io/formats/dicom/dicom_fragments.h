// Encapsulated pixel data of DICOM (PS3.5, annex A.4): which fragments belong to a frame.
#pragma once
#include "io/formats/dicom/dicom_syntax.h"

namespace voxcc::io {

/// Assigns the fragments to frames: one per frame, all to a single frame, or by an offset table.
/// @param frames at most the number of fragments
/// @return the index of the first fragment of each frame, and the number of fragments. Fragment 0 is the offset table
/// @throw Error about the content if a table is wrong, or if none says where the frames begin
// 3 fragments after the table, 3 frames  ->  {1, 2, 3, 4}
std::vector<std::int64_t> assign_fragments(const DicomBytes& bytes, const DicomFile& file, std::int64_t frames);

/// @return the best ratio of pixels to stored bytes that a codec can reach
std::int64_t best_ratio(const DicomSyntax& syntax);

}  // namespace voxcc::io
