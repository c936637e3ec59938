// One page of a TIFF: the type of its samples and its strips or tiles, checked against the file before decoding.
#pragma once
#include <voxcc/volume.h>
#include "io/formats/tiff/tiff_handle.h"

#include <string>

namespace voxcc::io {

/// Properties that all pages of a stack must share.
struct TiffSamples {
    std::int64_t nx = 0, ny = 0;
    int per_pixel = 1;  // samples per pixel: 3 for RGB
    int bits = 0;       // per sample: 1 to 16, 32, 64
    int format = 0;     // SAMPLEFORMAT_UINT, _INT, _IEEEFP
    /// PHOTOMETRIC_MINISWHITE, _MINISBLACK, _PALETTE (samples are indices), _RGB, _SEPARATED, _YCBCR (JPEG, decoded as RGB).
    int photometric = 0;
    bool operator==(const TiffSamples&) const = default;
    ScalarType type() const;          // in memory; packed bits become u8 or u16, float16 becomes f32
    std::string stored_type() const;  // "bool", "uint4", "float16", "uint16"
    /// Whether samples have a size that is not a whole number of bytes.
    bool is_packed() const { return bits % 8 != 0; }
    bool is_half() const { return bits == 16 && format == SAMPLEFORMAT_IEEEFP; }
    /// Whether stored samples have the type in memory.
    bool is_native() const { return !is_packed() && !is_half(); }
};

enum class TiffLayout { strips, tiles };

struct TiffPage {
    std::int64_t number = 0;  // 0-based, for messages
    TiffSamples samples;
    int interleaved = 1;                 // samples of a pixel that follow each other in a row; 1 if each sample has its own strips or tiles
    int compression = COMPRESSION_NONE;  // see tiff_codecs.h
    int predictor = PREDICTOR_NONE;      // set for deflate only; libtiff undoes the predictors of other compressions
    int stated_predictor = PREDICTOR_NONE;
    int fill_order = FILLORDER_MSB2LSB;  // order of bits in a byte of the file
    int orientation = ORIENTATION_TOPLEFT;
    TiffLayout layout = TiffLayout::strips;
    std::int64_t end = 0;                     // offset in the file after the last strip or tile
    std::int64_t too_large = 0;               // number of uncompressed strips or tiles with more bytes than their pixels need
    std::int64_t chunks = 0, missing = 0;     // number of strips or tiles, and of the ones that are not stored
    std::int64_t chunk_nx = 0, chunk_ny = 0;  // pixels per strip or tile; the last strip of a page may have fewer rows
    std::int64_t chunks_across() const { return (samples.nx + chunk_nx - 1) / chunk_nx; }
    std::int64_t chunks_down() const { return (samples.ny + chunk_ny - 1) / chunk_ny; }
    /// Images of separately stored samples; each has chunks_across() * chunks_down() strips or tiles.
    std::int64_t planes() const { return interleaved == 1 ? samples.per_pixel : 1; }
    /// Whether the pixels of another page are stored in the same way.
    bool is_stored_as(const TiffPage& other) const {
        return compression == other.compression && stated_predictor == other.stated_predictor && fill_order == other.fill_order &&
               interleaved == other.interleaved && orientation == other.orientation;
    }
    std::int64_t rows_of_chunk(std::int64_t down) const;  // rows to decode; tiles always have chunk_ny rows
    /// @param chunk 0-based index of a strip or tile. @return how many strips or tiles of its plane lie above it
    std::int64_t chunks_above(std::int64_t chunk) const { return chunk / chunks_across() % chunks_down(); }
    /// Bytes as stored without compression.
    std::int64_t row_bytes() const { return (samples.nx * interleaved * samples.bits + 7) / 8; }
    std::int64_t chunk_row_bytes() const { return (chunk_nx * interleaved * samples.bits + 7) / 8; }
    /// @return "page 2 (0-based): strip 3"
    std::string chunk_name(std::int64_t chunk) const;
    std::int64_t bytes() const { return row_bytes() * samples.ny * planes(); }
};

/// Whether a strip or tile of the current directory is not stored: its offset and its size are 0. Its pixels are 0 (sparse files of GDAL).
bool is_missing_chunk(const TiffHandle& tiff, std::int64_t chunk);

/// @return whether the page is a reduced copy or a mask of another page, which is not part of the volume
bool is_auxiliary_page(const TiffHandle& tiff);

/// @return whether the page is a mask
bool is_mask_page(const TiffHandle& tiff);

/// Reads and checks the current directory. @param number of the page, 0-based, for messages
/// @throw Error about the content if its samples cannot be read as numbers, or if it claims more data than its strips can
/// hold
TiffPage read_tiff_page(const TiffHandle& tiff, std::int64_t number);

}  // namespace voxcc::io
