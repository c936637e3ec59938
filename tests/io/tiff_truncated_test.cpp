#include "io/formats/tiff/tiff.h"
#include "tests/io/files.h"
#include "tests/io/label_files.h"
#include "tests/io/tiff_images.h"

#include <cstring>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

/// Writes three small pages of one strip each, without a description, in every byte order and for BigTIFF. Calls f(path, recipe, content)
/// for each file.
template <class F>
void for_plain_files(const F& f) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    TiffRecipe r = numbered_pages(3, "");
    for (const char* mode : {"wl", "wb", "wl8", "wb8"}) {
        r.mode = mode;
        write_numbered(path, r);
        CAPTURE(r.mode);
        f(path, r, content_of(path));
    }
}

std::vector<std::size_t> directories_of(const std::string& path) {
    TIFF* tiff = TIFFOpen(path.c_str(), "r");
    REQUIRE(tiff);
    std::vector<std::size_t> offsets;
    do offsets.push_back(std::size_t(TIFFCurrentDirOffset(tiff)));
    while (TIFFReadDirectory(tiff));
    TIFFClose(tiff);
    return offsets;
}

// Position and size of the next-page pointer, which is the last field of a page directory.
struct Pointer {
    std::size_t at, bytes;
};
Pointer pointer_of(const std::string& content, std::size_t directory, const TiffRecipe& r) {
    const bool is_big = r.mode.find('8') != std::string::npos, is_little = r.mode.find('l') != std::string::npos;
    const std::size_t count_bytes = is_big ? 8 : 2;  // the number of entries is below 256
    const auto entries = std::uint8_t(content[is_little ? directory : directory + count_bytes - 1]);
    return {directory + count_bytes + entries * std::size_t(is_big ? 20 : 12), std::size_t(is_big ? 8 : 4)};
}

}  // namespace

TEST_CASE("a TIFF truncated inside a page directory or its next-page pointer is refused") {
    for_plain_files([](const std::string& path, const TiffRecipe& r, const std::string& intact) {
        const auto directories = directories_of(path);
        REQUIRE(directories.size() == 3);
        const auto voxels = read_all(*open_tiff(path, {}), 2);
        const Pointer last = pointer_of(intact, directories.back(), r);
        int refused = 0;
        for (std::size_t size = 0; size < intact.size(); ++size) {
            CAPTURE(size);
            put_file(path, intact.substr(0, size));
            std::vector<std::byte> read;
            const auto kind = kind_of([&] { read = read_all(*open_tiff(path, {}), 2); });
            CHECK((kind ? is_about_content(*kind) : read == voxels));
            if (size < last.at + last.bytes) CHECK(about_content(kind));
            CHECK(kind_of([&] { describe_tiff(path, {}); }).has_value() == kind.has_value());
            refused += kind.has_value();
        }
        CHECK(refused >= int(last.at + last.bytes));
    });
}

TEST_CASE("a next-page pointer outside the file is refused") {
    for_plain_files([](const std::string& path, const TiffRecipe& r, const std::string& intact) {
        for (const std::size_t directory : directories_of(path))
            for (const std::uint64_t target : {std::uint64_t(intact.size()), std::uint64_t(intact.size() + 1), std::uint64_t(0x7ffffff0)}) {
                const Pointer pointer = pointer_of(intact, directory, r);
                std::string bytes(pointer.bytes, '\0');
                for (std::size_t i = 0; i < 4; ++i)
                    bytes[r.mode.find('l') != std::string::npos ? i : pointer.bytes - 1 - i] = char(target >> 8 * i);
                CAPTURE(directory);
                CAPTURE(target);
                std::string content = intact;
                put_file(path, content.replace(pointer.at, pointer.bytes, bytes));
                CHECK(kind_of([&] { open_tiff(path, {}); }) == ErrorKind::invalid_file);
            }
    });
}

TEST_CASE("a description or a resolution outside the file is refused") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    TiffRecipe r = numbered_pages(4, "ImageJ=1.53c\nimages=4\nchannels=2\nslices=2\nhyperstack=true\n");
    r.resolution = 4;
    write_numbered(path, r);
    CHECK(describe_tiff(path, {}).volumes == 2);
    const std::string intact = content_of(path);
    for (const std::uint16_t tag : {TIFFTAG_IMAGEDESCRIPTION, TIFFTAG_XRESOLUTION, TIFFTAG_YRESOLUTION}) {
        const std::size_t directory = directories_of(path).front(), end = pointer_of(intact, directory, r).at;
        std::size_t at = directory + 2;
        while (at < end && std::memcmp(intact.data() + at, &tag, 2) != 0) at += 12;
        REQUIRE(at < end);
        std::string moved = intact;
        const auto beyond = std::uint32_t(intact.size() - 2);
        std::memcpy(moved.data() + at + 8, &beyond, 4);
        put_file(path, moved);
        CAPTURE(tag);
        CHECK(kind_of([&] { open_tiff(path, {.volume = 0}); }) == ErrorKind::invalid_file);
        put_file(path, intact);
    }
}
