#include "io/formats/tiff/tiff.h"
#include "io/samples.h"
#include "tests/io/files.h"
#include "tests/io/label_files.h"
#include "tests/io/tiff_images.h"

#include <array>
#include <cstring>
#include <limits>
#include <sstream>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

struct Case {
    std::uint16_t bits, format;
    ScalarType type;
};
const Case cases[] = {{8, SAMPLEFORMAT_UINT, ScalarType::u8},     {8, SAMPLEFORMAT_INT, ScalarType::i8},
                      {16, SAMPLEFORMAT_UINT, ScalarType::u16},   {16, SAMPLEFORMAT_INT, ScalarType::i16},
                      {32, SAMPLEFORMAT_UINT, ScalarType::u32},   {32, SAMPLEFORMAT_INT, ScalarType::i32},
                      {64, SAMPLEFORMAT_UINT, ScalarType::u64},   {64, SAMPLEFORMAT_INT, ScalarType::i64},
                      {32, SAMPLEFORMAT_IEEEFP, ScalarType::f32}, {64, SAMPLEFORMAT_IEEEFP, ScalarType::f64}};

}  // namespace

TEST_CASE("every type, compression, predictor, layout and byte order of TIFF is read") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    for (const Case& c : cases)
        for (const std::uint16_t compression :
             {COMPRESSION_NONE, COMPRESSION_PACKBITS, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_ZSTD, COMPRESSION_LZMA})
            for (const std::uint16_t predictor : {PREDICTOR_NONE, PREDICTOR_HORIZONTAL, PREDICTOR_FLOATINGPOINT})
                for (const std::uint32_t tile : {0u, 16u})
                    for (const char* mode : {"wl", "wb", "wl8"}) {
                        if (!TIFFIsCODECConfigured(compression)) continue;
                        if (predictor != PREDICTOR_NONE && (compression == COMPRESSION_NONE || compression == COMPRESSION_PACKBITS))
                            continue;
                        if (predictor == PREDICTOR_FLOATINGPOINT && c.format != SAMPLEFORMAT_IEEEFP) continue;
                        // libtiff 4.5 writes the floating-point predictor incorrectly in big-endian files, by its own reader and tifffile.
                        if (predictor == PREDICTOR_FLOATINGPOINT && mode == std::string("wb")) continue;
                        if (compression == COMPRESSION_LZMA && (tile > 0 || predictor != PREDICTOR_NONE)) continue;  // slow to write
                        TiffRecipe r;
                        r.bits = c.bits, r.format = c.format, r.compression = compression, r.predictor = predictor, r.tile = tile,
                        r.mode = mode;
                        CAPTURE(c.bits);
                        CAPTURE(c.format);
                        CAPTURE(compression);
                        CAPTURE(predictor);
                        CAPTURE(tile);
                        CAPTURE(r.mode);
                        const auto voxels = bytes_of(r);
                        write_tiff(path, r, voxels);
                        const auto reader = open_tiff(path, {});
                        CHECK(reader->info().type == c.type);
                        CHECK(reader->info().stored_type == name_of(c.type));
                        CHECK(reader->info().extent == Extent{r.nx, r.ny, r.pages});
                        CHECK(reader->info().format == (r.mode == "wl8" ? "BigTIFF" : "TIFF"));
                        CHECK((reader->info().compression == "deflate") == (compression == COMPRESSION_ADOBE_DEFLATE));
                        for (const std::int64_t rows : {7, 1000}) CHECK(same_bytes(read_all(*reader, rows), voxels));
                    }
}

TEST_CASE("bits become 0 and 1, white-is-zero is left as stored, half precision becomes float") {
    const TemporaryFolder folder;
    TiffRecipe r;
    r.bits = 1, r.nx = 13, r.ny = 3, r.pages = 2;
    const auto packed = bytes_of(r);
    for (const std::uint16_t photometric : {PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE}) {
        r.photometric = photometric;
        write_tiff(folder / "bits.tif", r, packed);
        const auto reader = open_tiff(folder / "bits.tif", {});
        CHECK(reader->info().type == ScalarType::u8);
        CHECK(reader->info().stored_type == "bool");
        CHECK(reader->info().warnings.size() == (photometric == PHOTOMETRIC_MINISWHITE ? 1 : 0));
        const auto voxels = read_all(*reader, 2);
        for (std::size_t row = 0; row < 6; ++row)
            for (std::size_t x = 0; x < 13; ++x) CHECK(int(voxels[row * 13 + x]) == (packed[row * 2 + x / 8] >> (7 - x % 8) & 1));
    }

    TiffRecipe half;
    half.bits = 16, half.format = SAMPLEFORMAT_IEEEFP, half.nx = 6, half.ny = 1, half.pages = 1;
    write_tiff(folder / "half.tif", half, {0x00, 0x3C, 0x00, 0xC0, 0x01, 0x00, 0xFF, 0x7B, 0x00, 0x7C, 0x01, 0x7C});
    const auto reader = open_tiff(folder / "half.tif", {});
    CHECK(reader->info().type == ScalarType::f32);
    CHECK(reader->info().stored_type == "float16");
    const auto bytes = read_all(*reader, 1);
    std::array<float, 6> values;
    REQUIRE(bytes.size() == sizeof values);
    std::memcpy(values.data(), bytes.data(), sizeof values);
    CHECK(values[0] == 1);
    CHECK(values[1] == -2);
    CHECK(values[2] == 0x1p-24f);
    CHECK(values[3] == 65504);
    CHECK(values[4] == std::numeric_limits<float>::infinity());
    CHECK(values[5] != values[5]);
}

TEST_CASE("the samples of a pixel are channels, and a volume must be chosen") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    for (const std::uint16_t compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE})
        for (const char* mode : {"wl", "wb"})
            for (const std::uint16_t bits : {8, 16, 32, 64}) {
                TiffRecipe rgb;
                rgb.samples = 3, rgb.bits = bits, rgb.photometric = PHOTOMETRIC_RGB, rgb.compression = compression, rgb.mode = mode;
                if (compression != COMPRESSION_NONE) rgb.predictor = PREDICTOR_HORIZONTAL;
                const auto pixels = bytes_of(rgb);
                write_tiff(path, rgb, pixels);
                CHECK(kind_of([&] { open_tiff(path, {}); }) == ErrorKind::several_volumes);
                CHECK(message_of([&] { open_tiff(path, {}); }).find("3 channels (C), chosen as in [c=0]") != std::string::npos);
                for (std::int64_t channel = 0; channel < 3; ++channel) {
                    const auto reader = open_tiff(path, {.volume = channel});
                    const auto voxels = read_all(*reader, 4);
                    const std::size_t bytes = bits / 8;
                    REQUIRE(voxels.size() * 3 == pixels.size());
                    bool is_equal = true;
                    for (std::size_t i = 0; i < voxels.size(); ++i)
                        is_equal = is_equal && voxels[i] == std::byte(pixels[(i / bytes * 3 + std::size_t(channel)) * bytes + i % bytes]);
                    CHECK(is_equal);
                }
                CHECK(kind_of([&] { open_tiff(path, {.volume = 3}); }) == ErrorKind::no_such_volume);
            }
}

TEST_CASE("packed samples are read inside their row only") {
    const std::array row{std::byte{0x12}, std::byte{0x34}, std::byte{0x56}};
    std::array<std::byte, 6> to{};
    unpack_samples(row, 4, {0, 1, 6}, to.data());
    CHECK(to == std::array{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}, std::byte{6}});
    std::array<std::uint16_t, 2> wide{};
    unpack_samples(row, 12, {0, 1, 2}, reinterpret_cast<std::byte*>(wide.data()));
    CHECK(wide == std::array<std::uint16_t, 2>{0x123, 0x456});
    const auto kind = [&](int bits, const SampleChoice& choice) { return kind_of([&] { unpack_samples(row, bits, choice, to.data()); }); };
    CHECK(kind(4, {0, 1, 7}) == ErrorKind::internal);
    CHECK(kind(4, {1, 1, 6}) == ErrorKind::internal);
    CHECK(kind(4, {0, 5, 3}) == ErrorKind::internal);
    CHECK(kind(4, {-1, 1, 2}) == ErrorKind::internal);
    CHECK(kind(4, {0, std::numeric_limits<std::int64_t>::max(), 6}) == ErrorKind::internal);
    CHECK(kind(17, {0, 1, 1}) == ErrorKind::internal);
    CHECK(kind(0, {0, 1, 1}) == ErrorKind::internal);
    CHECK(kind_of([&] { gather_samples(row, 2, {0, 1, 2}, to.data()); }) == ErrorKind::internal);
    gather_samples(row, 1, {1, 2, 1}, to.data());
    CHECK(to[0] == std::byte{0x34});
}

TEST_CASE("pages that differ are refused, also pages of full size that are marked as reduced copies") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";

    TiffRecipe white;
    white.photometric = PHOTOMETRIC_MINISWHITE;
    TiffRecipe black;
    black.mode = "al";
    write_tiff(path, white, bytes_of(white));
    write_tiff(path, black, bytes_of(black));
    CHECK(message_of([&] { open_tiff(path, {}); }).find("page 3 ") != std::string::npos);

    TiffRecipe reduced = numbered_pages(6, "");
    reduced.odd_pages_subfile = FILETYPE_REDUCEDIMAGE;
    write_numbered(path, reduced);
    CHECK(message_of([&] { open_tiff(path, {}); }).find("page 1 (from 0) is marked as a reduced copy") != std::string::npos);
}

TEST_CASE("truncated files and wrong sizes in headers are refused") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    for (const std::uint16_t compression : {COMPRESSION_NONE, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_LZW}) {
        TiffRecipe r;
        r.nx = 9, r.ny = 7, r.compression = compression;
        const auto voxels = bytes_of(r);
        write_tiff(path, r, voxels);
        const std::string whole = content_of(path);
        for (std::size_t size = 0; size + 4 < whole.size(); size += 11) {
            CAPTURE(compression);
            CAPTURE(size);
            put_file(path, whole.substr(0, size));
            CHECK(kind_of([&] { read_all(*open_tiff(path, {}), 4); }) == ErrorKind::invalid_file);
        }
    }

    // A header with 0x7ffffff0 columns and rows in a small file.
    TiffRecipe tiny = numbered_pages(1, "");
    for (const std::uint16_t compression : {COMPRESSION_NONE, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_ZSTD}) {
        tiny.compression = compression;
        write_numbered(path, tiny);
        std::string bytes = content_of(path);
        for (const std::uint16_t tag : {TIFFTAG_IMAGEWIDTH, TIFFTAG_IMAGELENGTH, TIFFTAG_ROWSPERSTRIP}) {
            const std::size_t at = bytes.find(std::string{char(tag & 255), char(tag >> 8), 3, 0});
            REQUIRE(at != std::string::npos);
            bytes.replace(at + 2, 10, std::string{4, 0, 1, 0, 0, 0, char(0xF0), char(0xFF), char(0xFF), char(0x7F)});
        }
        put_file(path, bytes);
        // Without compression, the size of the strip in the file shows that the header is wrong.
        const ErrorKind expected = compression == COMPRESSION_NONE ? ErrorKind::invalid_file : ErrorKind::invalid_extent;
        CHECK(kind_of([&] { open_tiff(path, {}); }) == expected);
    }
}

TEST_CASE("real TIFF files have the foreground that tifffile counts") {
    const std::string data = VOXCC_TEST_DATA;
    if (data.empty()) {
        MESSAGE("SKIPPED: real TIFF files, VOXCC_TEST_DATA is not set");
        return;
    }
    std::istringstream table(content_of(data + "/reference.csv"));
    std::string line;
    int checked = 0;
    while (std::getline(table, line)) {
        std::int64_t foreground = 0, volume = 0;
        double threshold = 0;
        char name[200], rule[20] = "";
        // Columns: file,binary [page P] > T,connectivity,components,foreground,largest
        const bool of_page =
            std::sscanf(line.c_str(), "%199[^,],binary page %ld > %lf,%*d,%*d,%ld", name, &volume, &threshold, &foreground) == 4;
        if (!of_page && std::sscanf(line.c_str(), "%199[^,],binary %19s %lf,%*d,%*d,%ld", name, rule, &threshold, &foreground) != 4)
            continue;
        if (std::string(name).rfind("tiff/", 0) != 0) continue;
        CAPTURE(line);
        OpenOptions options;
        if (of_page) options.volume = volume;
        const auto reader = open_volume(data + "/" + name, options);
        CHECK(count_above(*reader, threshold) == foreground);
        ++checked;
    }
    CHECK(checked > 50);
}

TEST_CASE("hostile TIFF files are refused with exit code 65") {
    const std::string data = VOXCC_TEST_DATA;
    if (data.empty()) {
        MESSAGE("SKIPPED: hostile TIFF files, VOXCC_TEST_DATA is not set");
        return;
    }
    for (const auto& entry : std::filesystem::directory_iterator(data + "/hostile/tiff")) {
        CAPTURE(entry.path().string());
        CHECK(about_content(kind_of([&] { read_all(*open_tiff(entry.path().string(), {}), 64); })));
        CHECK(about_content(kind_of([&] { describe_tiff(entry.path().string(), {}); })));
    }
    CHECK(message_of([&] { open_tiff(data + "/hostile/tiff/page_sizes_differ.tif", {}); }).find("page 2 ") != std::string::npos);
}
