// Reading of files in the formats that only ITK reads: PNG, JPEG, BMP and BioRad.
#pragma once
#include "io/files/checked_file.h"
#include "io/formats/itk/itk_format.h"
#include "io/io.h"

namespace voxcc::io {

/// A format that only ITK reads.
struct ItkOnly {
    ItkFormat format;
    /// Must pass before ITK opens the file: ITK readers trust the header and zero-fill missing data. @throw Error about the content
    void (*check)(const InputFile& file);
};

/// Opens a file in a child process. @throw Error as Reading::open(); unsupported_by_reader if only own readers may be used
std::unique_ptr<VolumeReader> open_with_itk(const std::string& path, const ItkOnly& format, const OpenOptions& options);

/// Describes a file as open_with_itk() reads it. @throw Error as open_with_itk(), but never for a missing choice
VolumeInfo describe_with_itk(const std::string& path, const ItkOnly& format, const OpenOptions& options);

/// Compares the length of a file with the length that its header claims.
/// @param header bytes before the voxels
/// @param voxels bytes of the voxels
/// @throw Error wrong_size
void require_bytes(const InputFile& file, std::int64_t header, std::int64_t voxels);

}  // namespace voxcc::io
