// Decoder for strips and tiles of a TIFF. Deflate is decoded here, because libtiff accepts a stream that is longer than the strip and then
// does not compare its checksum. libtiff decodes all other compressions, some of them in a child process.
#pragma once
#include "io/formats/tiff/codec_process.h"
#include "io/formats/tiff/tiff_page.h"

#include <memory>
#include <span>
#include <vector>

struct libdeflate_decompressor;

namespace voxcc::io {

/// Decodes strips and tiles of one file; keeps buffers between calls. Not thread-safe.
class TiffDecoder {
public:
    TiffDecoder();
    /// Decodes a strip or tile of the current directory of `tiff`, which must be `page`.
    /// @param chunk index of the strip or tile in its page, 0-based
    /// @param to receives all rows of the strip or tile; must hold page.chunk_row_bytes() per row. Samples are in host byte order.
    /// @throw Error about the content if the data are corrupt or shorter than `to`; io_error
    void decode(const TiffHandle& tiff, const TiffPage& page, std::int64_t chunk, std::span<std::byte> to);

private:
    struct Free {
        void operator()(libdeflate_decompressor* decompressor) const;
    };
    enum class Inflated { intact, corrupt };
    Inflated inflate(const TiffPage& page, std::span<std::byte> to);
    void read_stored(const TiffHandle& tiff, const TiffPage& page, std::int64_t chunk);

    std::unique_ptr<libdeflate_decompressor, Free> decompressor_;
    TiffCodecProcess process_;
    std::vector<std::byte> stored_;    // compressed bytes of one strip or tile
    std::vector<std::byte> complete_;  // decoded last strip that is stored with the rows of a full strip
};

}  // namespace voxcc::io
