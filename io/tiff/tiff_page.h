// One page of a TIFF: the type of its samples and its strips or tiles, checked against the file before decoding.
#pragma once
#include <voxcc/volume.h>
#include "io/tiff/tiff_handle.h"

#include <string>

namespace voxcc::io {

/// Properties that all pages of a stack must share.
struct TiffSamples {
    std::int64_t nx = 0, ny = 0;
    int bits = 0;         // per sample: 1, 8, 16, 32, 64
    int format = 0;       // SAMPLEFORMAT_UINT, _INT, _IEEEFP
    int photometric = 0;  // PHOTOMETRIC_MINISWHITE, _MINISBLACK
    bool operator==(const TiffSamples&) const = default;
    ScalarType type() const;                                        // in memory; single bits become u8, float16 becomes f32
    std::string stored_type() const;                                // name in numpy: "bool", "float16", "uint16"
    std::int64_t row_bytes() const { return (nx * bits + 7) / 8; }  // as stored
    bool is_native() const { return bits != 1 && !(bits == 16 && format == SAMPLEFORMAT_IEEEFP); }  // stored bytes need no type conversion
};

enum class TiffLayout { strips, tiles };

struct TiffPage {
    std::int64_t number = 0;  // 0-based, for messages
    TiffSamples samples;
    int compression = COMPRESSION_NONE;
    int predictor = PREDICTOR_NONE;      // set for deflate only; libtiff undoes the predictors of other compressions
    int fill_order = FILLORDER_MSB2LSB;  // order of bits in a byte of the file
    int orientation = ORIENTATION_TOPLEFT;
    TiffLayout layout = TiffLayout::strips;
    std::int64_t end = 0;                     // offset in the file after the last strip or tile
    std::int64_t chunk_nx = 0, chunk_ny = 0;  // voxels per strip or tile; the last strip of a page may have fewer rows
    std::int64_t chunks_across() const { return (samples.nx + chunk_nx - 1) / chunk_nx; }
    std::int64_t chunks_down() const { return (samples.ny + chunk_ny - 1) / chunk_ny; }
    std::int64_t rows_of_chunk(std::int64_t down) const;  // rows to decode; tiles always have chunk_ny rows
    std::int64_t chunk_row_bytes() const { return (chunk_nx * samples.bits + 7) / 8; }
};

/// @return whether the page is a reduced copy or a mask of another page, which is not part of the volume
bool is_auxiliary_page(const TiffHandle& tiff);

/// Reads and checks the current directory. @param number of the page, 0-based, for messages
/// @throw Error about the content if it is not a grey-level image that can be read without loss, or claims more data than its strips can
/// hold
TiffPage read_tiff_page(const TiffHandle& tiff, std::int64_t number);

/// "none", "lzw", "deflate", "packbits", "zstd", "lzma"
std::string compression_name(int compression);

bool is_deflate(int compression);

/// @return upper bound of the decoded bytes per compressed byte
std::int64_t most_expansion(int compression);

}  // namespace voxcc::io
