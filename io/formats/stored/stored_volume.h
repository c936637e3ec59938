// Where and how the voxels of a volume are stored, if they are one contiguous range of bytes of one file, or of several files of one size:
// raw, compressed or as text (NRRD, MetaImage, NumPy). stored_reader.h reads them.
#pragma once
#include "io/files/checked_file.h"
#include "io/io.h"

#include <bit>

namespace voxcc::io {

// deflate: zlib or gzip, recognised by content; numbers: decimal numbers; hex: two hexadecimal digits per byte
enum class Encoding { raw, deflate, bzip2, numbers, hex };
constexpr bool is_text(Encoding encoding) { return encoding == Encoding::numbers || encoding == Encoding::hex; }

/// Distances between stored samples, in samples. The steps along i, j and k ascend.
// RGBRGBRGB..., 100 pixels per row  ->  {{3, 300, 1}, 1}
struct Interleaving {
    std::array<std::int64_t, 3> voxel{};  // from a voxel to its neighbour along i, j and k
    std::int64_t volume = 0;              // from a voxel to the same voxel of the next volume
};

struct StoredVolume {
    VolumeInfo info;               // extent of one volume
    std::string data_path;         // the header file or a detached file
    std::int64_t offset = 0;       // byte offset of the first stored byte
    std::int64_t stored = 0;       // number of stored bytes of the voxels; not used for a pipe
    Pipes source = Pipes::refuse;  // read: data_path is a pipe
    std::int64_t lead = 0;         // decoded bytes before the first voxel
    Encoding encoding = Encoding::raw;
    std::endian byte_order = std::endian::little;
    Samples samples = Samples::voxels;
    std::optional<Interleaving> interleaving = {};  // empty: all volumes are stored consecutively
    /// The data files, if they are several: images with the same number of rows, one after the other, without pieces of their own. Then the
    /// members above about the data file are not used.
    std::vector<StoredVolume> pieces = {};
};

/// Decoded bytes per sample.
std::int64_t bytes_per_sample(const StoredVolume& volume);

/// @return decoded bytes of all volumes. @throw Error about the content if an extent is not positive or the product exceeds 2^63 - 1
// 4 x 3 x 2 voxels of float16, 5 volumes  ->  240
std::int64_t total_bytes(const StoredVolume& volume);

/// Sets `offset`, `stored` and `source` for voxels that follow the header in the same file or pipe.
void locate_after_header(StoredVolume& volume, const InputFile& file, std::int64_t header_end);

/// Compares the stored length with the header; reports extra bytes in info.warnings. The length of a pipe is known only when its voxels
/// have been read. @throw Error about the content if bytes are missing
void check_length(StoredVolume& volume);

}  // namespace voxcc::io
