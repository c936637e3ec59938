// ReaderChoice::itk for the formats that voxcc also reads itself: ITK reads the file in a child process, and voxcc's own reader checks it.
//
// ITK reads truncated files as if they were complete, fills missing data with zeros, and does not compare checksums. The own reader detects
// all of this. It reads the same rows, and each value of ITK must be the own value. If a value differs, the read fails. The type of the
// voxels and the geometry are the ones that ITK reads; for HDF5 both readers must also agree on the geometry.
#pragma once
#include "io/formats/itk/itk_format.h"
#include "io/io.h"

#include <functional>

namespace voxcc::io {

/// Opens a volume with both readers.
/// @param format must have an own reader
/// @param open_own opens the volume with the own reader
/// @throw Error as `open_own`; unsupported_by_reader if ITK does not read the file, or reads another extent. read_rows() of the result also
/// throws it if a value is different.
std::unique_ptr<VolumeReader> open_compared(const std::string& path, ItkFormat format, const OpenOptions& options,
                                            const std::function<std::unique_ptr<VolumeReader>(const OpenOptions&)>& open_own);

/// Describes a file as open_compared() reads it. Reads headers only.
/// @param describe_own describes the file with the own reader
/// @throw Error as open_compared()
VolumeInfo describe_compared(const std::string& path, ItkFormat format, const OpenOptions& options,
                             const std::function<VolumeInfo(const OpenOptions&)>& describe_own);

}  // namespace voxcc::io
