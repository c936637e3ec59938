// Volumes whose voxels lie in one file as one run of bytes, raw or as one deflate stream: NRRD and MetaImage. ITK loads a MetaImage
// that is cut short without a word, so their voxels are read here, streamed and checked to the last byte.
#pragma once
#include "io/checked_file.h"
#include "io/io.h"

#include <bit>

namespace voxcc::io {

enum class Encoding { raw, deflate };  // deflate: wrapped as zlib or gzip, told apart by content

struct StoredVolume {
    VolumeInfo info;          // extent is that of one volume; all volumes follow each other
    std::string data_path;    // the file itself, or a detached one
    std::int64_t offset = 0;  // of the first stored byte
    std::int64_t stored = 0;  // bytes from there that belong to the voxels
    std::int64_t lead = 0;    // decoded bytes before the first voxel
    Encoding encoding = Encoding::raw;
    std::endian byte_order = std::endian::little;
};

/// Bytes of all volumes, decoded. @throw Error bad_data if an extent is not positive or the product passes 2^63 - 1
std::int64_t total_bytes(const VolumeInfo& info);

/// Refuses lengths that the header's numbers do not fit; notes bytes that are left over in info.warnings.
/// @throw Error bad_data
void check_length(StoredVolume& volume);

/// @param index which of the volumes. @throw Error no_input, bad_data
std::unique_ptr<VolumeReader> open_stored(StoredVolume volume, std::int64_t index);

}  // namespace voxcc::io
