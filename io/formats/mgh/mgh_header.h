// The header of FreeSurfer volumes (.mgh, .mgz): 284 bytes, big-endian.
// https://surfer.nmr.mgh.harvard.edu/fswiki/FsTutorial/MghFormat
#pragma once
#include "io/io.h"

namespace voxcc::io {

class DecodedFile;

constexpr std::size_t mgh_header_bytes = 284;

/// @return whether `start`, the first bytes of a file, can be a header: version 1, positive extents, a known type
bool has_mgh_header(std::span<const std::byte> start);

/// Reads and checks a header. Geometry: from the directions, spacing and centre, or coronal slices of 1 mm if the header has none.
/// @return a description without `path` and `compression`. @throw Error invalid_file, unsupported_file, truncated_file
VolumeInfo read_mgh_header(DecodedFile& file);

/// @return the header of one volume with this type, extent and geometry. @throw Error unsupported_label_type, invalid_extent
std::vector<std::byte> mgh_header(const LabelVolume& volume);

}  // namespace voxcc::io
