// Writer of label volumes whose voxels follow a header, in a file that can be compressed (NIfTI, FreeSurfer).
#pragma once
#include "io/decoded/decoded_file.h"
#include "io/decoded/plain_blocks.h"
#include "io/io.h"

#include <bit>

namespace voxcc::io {

/// @param file must outlive the writer
/// @param header all bytes before the voxels
std::unique_ptr<LabelWriter> create_contiguous(const LabelVolume& volume, OutputFile& file, std::span<const std::byte> header,
                                               FileCompression compression, std::endian byte_order);

}  // namespace voxcc::io
