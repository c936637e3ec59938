// One page of a TIFF: what its samples are and where its strips or tiles lie, checked against the file before anything is decoded.
#pragma once
#include <voxcc/volume.h>
#include "io/tiff/tiff_handle.h"

#include <string>

namespace voxcc::io {

/// What all pages of a stack share.
struct TiffSamples {
    std::int64_t nx = 0, ny = 0;
    int bits = 0;         // a sample: 1, 8, 16, 32, 64
    int format = 0;       // SAMPLEFORMAT_UINT, _INT, _IEEEFP
    int photometric = 0;  // PHOTOMETRIC_MINISWHITE, _MINISBLACK
    bool operator==(const TiffSamples&) const = default;
    ScalarType type() const;                                        // in memory: bits are u8, float16 is f32
    std::string stored_type() const;                                // numpy's name: "bool", "float16", "uint16"
    std::int64_t row_bytes() const { return (nx * bits + 7) / 8; }  // as stored
    bool is_native() const { return bits != 1 && !(bits == 16 && format == SAMPLEFORMAT_IEEEFP); }  // needs no conversion
};

enum class TiffLayout { strips, tiles };

struct TiffPage {
    std::int64_t number = 0;  // 0-based, for messages
    TiffSamples samples;
    int compression = COMPRESSION_NONE;
    int predictor = PREDICTOR_NONE;      // of deflate only; libtiff undoes the others
    int fill_order = FILLORDER_MSB2LSB;  // order of the bits in the bytes of the file
    int orientation = ORIENTATION_TOPLEFT;
    TiffLayout layout = TiffLayout::strips;
    std::int64_t chunk_nx = 0, chunk_ny = 0;  // voxels of a strip or tile; the last strip of a page may hold fewer rows
    std::int64_t chunks_across() const { return (samples.nx + chunk_nx - 1) / chunk_nx; }
    std::int64_t chunks_down() const { return (samples.ny + chunk_ny - 1) / chunk_ny; }
    std::int64_t rows_of_chunk(std::int64_t down) const;  // rows decoded: tiles are always whole
    std::int64_t chunk_row_bytes() const { return (chunk_nx * samples.bits + 7) / 8; }
};

/// Smaller copies and masks of another page are not part of the volume.
bool is_auxiliary_page(const TiffHandle& tiff);

/// The current directory. @param number of the page, from 0, for messages
/// @throw Error bad_data if it is no grey-level image that can be read without loss, or claims more than its strips can hold.
TiffPage read_tiff_page(const TiffHandle& tiff, std::int64_t number);

/// "none", "lzw", "deflate", "packbits", "zstd", "lzma"
std::string compression_name(int compression);

bool is_deflate(int compression);

/// Most bytes that one compressed byte can become.
std::int64_t most_expansion(int compression);

}  // namespace voxcc::io
