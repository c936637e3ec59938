// Writes TIFF files with libtiff, so that the reader is tested independently of voxcc's writer.
#pragma once
#include <doctest/doctest.h>
#include <tiffio.h>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace voxcc::test {

struct TiffRecipe {
    std::uint32_t nx = 21, ny = 19, pages = 3;
    std::uint16_t bits = 16, format = SAMPLEFORMAT_UINT, compression = COMPRESSION_NONE, predictor = PREDICTOR_NONE;
    std::uint16_t photometric = PHOTOMETRIC_MINISBLACK, samples = 1;
    std::uint16_t fill_order = FILLORDER_MSB2LSB;
    std::uint32_t tile = 0;  // edge length in pixels; 0: strips
    std::uint32_t rows_per_strip = 5;
    std::string mode = "wl";  // l: little endian, b: big endian, 8: BigTIFF
    std::string description;
    float resolution = 0;                 // 0: none
    std::uint32_t odd_pages_subfile = 0;  // SubfileType of pages 1, 3, ...
    std::size_t row_bytes() const { return (std::size_t(nx) * bits * samples + 7) / 8; }
};

/// @param voxels of all pages; each row is padded to a multiple of 8 bits
inline void write_tiff(const std::string& path, const TiffRecipe& r, const std::vector<std::uint8_t>& voxels) {
    TIFF* tiff = TIFFOpen(path.c_str(), r.mode.c_str());
    REQUIRE(tiff);
    REQUIRE(voxels.size() == r.row_bytes() * r.ny * r.pages);
    for (std::uint32_t page = 0; page < r.pages; ++page) {
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, r.nx);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, r.ny);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, r.bits);
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, r.samples);
        TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, r.format);
        TIFFSetField(tiff, TIFFTAG_COMPRESSION, r.compression);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, r.photometric);
        TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        TIFFSetField(tiff, TIFFTAG_FILLORDER, r.fill_order);
        if (r.predictor != PREDICTOR_NONE) TIFFSetField(tiff, TIFFTAG_PREDICTOR, r.predictor);
        if (page % 2 == 1) TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, r.odd_pages_subfile);
        if (page == 0 && !r.description.empty()) TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, r.description.c_str());
        if (r.resolution > 0) {
            TIFFSetField(tiff, TIFFTAG_XRESOLUTION, r.resolution);
            TIFFSetField(tiff, TIFFTAG_YRESOLUTION, r.resolution);
        }
        std::vector<std::uint8_t> image(voxels.begin() + std::ptrdiff_t(page * r.row_bytes() * r.ny),
                                        voxels.begin() + std::ptrdiff_t((page + 1) * r.row_bytes() * r.ny));
        if (r.tile > 0) {
            TIFFSetField(tiff, TIFFTAG_TILEWIDTH, r.tile);
            TIFFSetField(tiff, TIFFTAG_TILELENGTH, r.tile);
            const std::size_t tile_row = std::size_t(r.tile) * r.bits / 8;
            for (std::uint32_t y0 = 0; y0 < r.ny; y0 += r.tile)
                for (std::uint32_t x0 = 0; x0 < r.nx; x0 += r.tile) {
                    std::vector<std::uint8_t> tile(tile_row * r.tile, 0xAA);  // the reader must drop the padding
                    for (std::uint32_t y = y0; y < std::min(r.ny, y0 + r.tile); ++y)
                        for (std::size_t b = 0; b < std::min(tile_row, r.row_bytes() - x0 * r.bits / 8); ++b)
                            tile[(y - y0) * tile_row + b] = image[y * r.row_bytes() + x0 * r.bits / 8 + b];
                    REQUIRE(TIFFWriteTile(tiff, tile.data(), x0, y0, 0, 0) > 0);
                }
        } else {
            TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, r.rows_per_strip);
            for (std::uint32_t y = 0; y < r.ny; ++y) REQUIRE(TIFFWriteScanline(tiff, image.data() + y * r.row_bytes(), y, 0) == 1);
        }
        REQUIRE(TIFFWriteDirectory(tiff) == 1);
    }
    TIFFClose(tiff);
}

// Pseudo-random bytes; 64 of each 192 bytes are zero, as in label volumes.
inline std::vector<std::uint8_t> some_bytes(std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525 + 1013904223;
        bytes[i] = i / 64 % 3 == 0 ? 0 : std::uint8_t(state >> 24);
    }
    return bytes;
}

inline std::vector<std::uint8_t> bytes_of(const TiffRecipe& r) { return some_bytes(r.row_bytes() * r.ny * r.pages); }

// A recipe for write_numbered(), which sets each voxel to the 0-based number of its page.
inline TiffRecipe numbered_pages(std::uint32_t pages, const std::string& description) {
    TiffRecipe r;
    r.nx = 3, r.ny = 2, r.bits = 8, r.pages = pages, r.description = description;
    return r;
}

inline void write_numbered(const std::string& path, const TiffRecipe& r) {
    std::vector<std::uint8_t> voxels;
    for (std::uint32_t page = 0; page < r.pages; ++page) voxels.insert(voxels.end(), r.row_bytes() * r.ny, std::uint8_t(page));
    write_tiff(path, r, voxels);
}

}  // namespace voxcc::test
