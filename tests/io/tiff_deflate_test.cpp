#include "io/formats/tiff/tiff.h"
#include "tests/io/files.h"
#include "tests/io/label_files.h"
#include "tests/io/tiff_images.h"

#include <zlib.h>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

struct Place {
    std::size_t offset, bytes;
};

// The first strip or tile of the first page.
Place first_chunk(const std::string& path) {
    TIFF* tiff = TIFFOpen(path.c_str(), "r");
    REQUIRE(tiff);
    const Place place{std::size_t(TIFFGetStrileOffset(tiff, 0)), std::size_t(TIFFGetStrileByteCount(tiff, 0))};
    TIFFClose(tiff);
    return place;
}

// Indices of the bytes in the first chunk where a flipped bit gives changed voxels without an error, or an error other than bad_data.
std::vector<std::size_t> unnoticed_flips(const std::string& path) {
    const std::string intact = content_of(path);
    const auto voxels = read_all(*open_tiff(path, {}), 7);
    const Place chunk = first_chunk(path);
    std::vector<std::size_t> unnoticed;
    for (std::size_t i = 0; i < chunk.bytes; ++i) {
        std::string flipped = intact;
        flipped[chunk.offset + i] = char(flipped[chunk.offset + i] ^ (1 << i % 8));
        put_file(path, flipped);
        std::vector<std::byte> read;
        const auto kind = kind_of([&] { read = read_all(*open_tiff(path, {}), 7); });
        if (kind ? !is_about_content(*kind) : read != voxels) unnoticed.push_back(i);
    }
    return unnoticed;
}

std::string zlib_stream(std::size_t bytes) {
    std::vector<Bytef> raw(bytes), packed(compressBound(uLong(bytes)));
    for (std::size_t i = 0; i < bytes; ++i) raw[i] = Bytef(i % 7);
    uLongf size = uLongf(packed.size());
    REQUIRE(compress(packed.data(), &size, raw.data(), uLong(bytes)) == Z_OK);
    return {packed.begin(), packed.begin() + std::ptrdiff_t(size)};
}

constexpr std::uint32_t columns = 16, rows = 12, rows_per_strip = 8;

// One page in two strips, whose intact content is 128 and 64 bytes. `first` and `last` are the compressed strips.
void write_strips(const std::string& path, const std::string& first, const std::string& last) {
    TIFF* tiff = TIFFOpen(path.c_str(), "wl");
    REQUIRE(tiff);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, columns);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, rows);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows_per_strip);
    for (const auto& [number, strip] : {std::pair(0u, first), std::pair(1u, last)}) {
        std::string bytes = strip;
        REQUIRE(TIFFWriteRawStrip(tiff, number, bytes.data(), tmsize_t(bytes.size())) == tmsize_t(bytes.size()));
    }
    REQUIRE(TIFFWriteDirectory(tiff) == 1);
    TIFFClose(tiff);
}

}  // namespace

TEST_CASE("a flipped bit in a deflate strip or tile never changes voxels without an error") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    TIFFSetWarningHandler(nullptr);  // libtiff warns about each file with the older of the two compression codes
    for (const std::uint16_t compression : {COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE})
        for (const std::uint16_t predictor : {PREDICTOR_NONE, PREDICTOR_HORIZONTAL, PREDICTOR_FLOATINGPOINT})
            for (const std::uint32_t tile : {0u, 16u})
                for (const char* mode : {"wl", "wb", "wl8", "wb8"}) {
                    TiffRecipe r;
                    r.compression = compression, r.predictor = predictor, r.tile = tile, r.mode = mode, r.pages = 1;
                    if (predictor == PREDICTOR_FLOATINGPOINT) r.bits = 32, r.format = SAMPLEFORMAT_IEEEFP;
                    CAPTURE(compression);
                    CAPTURE(predictor);
                    CAPTURE(tile);
                    CAPTURE(r.mode);
                    write_tiff(path, r, bytes_of(r));
                    CHECK(unnoticed_flips(path).empty());
                }
}

TEST_CASE("a deflate strip must have all its rows, at most a complete strip, and the correct checksum") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif", first = zlib_stream(128), last = zlib_stream(64);
    std::vector<std::uint8_t> voxels;
    for (const std::size_t bytes : {128, 64})
        for (std::size_t i = 0; i < bytes; ++i) voxels.push_back(std::uint8_t(i % 7));
    const auto reads = [&](const std::string& a, const std::string& b) {
        write_strips(path, a, b);
        return same_bytes(read_all(*open_tiff(path, {}), 5), voxels);
    };
    const auto kind = [&](const std::string& a, const std::string& b) { return kind_of([&] { reads(a, b); }); };
    CHECK(reads(first, last));
    CHECK(reads(first + "padding", last + std::string(3, '\0')));
    CHECK(reads(first, zlib_stream(65)));
    CHECK(reads(first, zlib_stream(128)));
    CHECK(kind(first, zlib_stream(129)) == ErrorKind::invalid_file);
    CHECK(kind(zlib_stream(129), last) == ErrorKind::invalid_file);
    CHECK(kind(zlib_stream(127), last) == ErrorKind::invalid_file);
    CHECK(kind(first, zlib_stream(63)) == ErrorKind::invalid_file);
    for (const std::size_t bytes : {64, 128}) {
        std::string stream = zlib_stream(bytes);
        CHECK(kind(first, stream.substr(0, stream.size() - 1)) == ErrorKind::invalid_file);
        stream.back() = char(stream.back() ^ 1);
        CHECK(kind(first, stream) == ErrorKind::invalid_file);
    }
}

TEST_CASE("deflate of bits in reversed order reads back, and a predictor that does not fit the samples is refused") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    for (const std::uint16_t bits : {8, 16}) {
        TiffRecipe r;
        r.bits = bits, r.compression = COMPRESSION_ADOBE_DEFLATE, r.fill_order = FILLORDER_LSB2MSB;
        const auto voxels = bytes_of(r);
        write_tiff(path, r, voxels);
        CHECK(same_bytes(read_all(*open_tiff(path, {}), 7), voxels));
    }
    TiffRecipe r = numbered_pages(1, "");
    r.compression = COMPRESSION_ADOBE_DEFLATE, r.predictor = PREDICTOR_HORIZONTAL;
    write_numbered(path, r);
    const std::string intact = content_of(path), entry{char(TIFFTAG_PREDICTOR & 255), char(TIFFTAG_PREDICTOR >> 8), 3, 0, 1, 0, 0, 0};
    for (const char predictor : {0, PREDICTOR_FLOATINGPOINT, 4}) {
        std::string other = intact;
        REQUIRE(other.find(entry) != std::string::npos);
        other[other.find(entry) + entry.size()] = predictor;
        put_file(path, other);
        CHECK(kind_of([&] { open_tiff(path, {}); }) == ErrorKind::unsupported_file);
    }
}
