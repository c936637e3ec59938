#include "io/formats/tiff/tiff.h"
#include "tests/io/files.h"
#include "tests/io/label_files.h"
#include "tests/io/tiff_images.h"

#include <cmath>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

std::string imagej(const std::string& lines) { return "ImageJ=1.53c\n" + lines; }

std::string ome(const std::string& pixels, const std::string& inside = "") {
    return "<?xml version=\"1.0\"?><ome:OME xmlns:ome=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\"><ome:Image "
           "ID=\"Image:0\"><ome:Pixels " +
           pixels + ">" + inside + "</ome:Pixels></ome:Image></ome:OME>";
}

std::vector<int> pages_read(const std::string& path, std::int64_t volume) {
    OpenOptions options;
    options.volume = volume;
    const auto reader = open_tiff(path, options);
    const auto bytes = read_all(*reader, 1);
    std::vector<int> pages;
    for (std::int64_t z = 0; z < reader->info().extent.nz; ++z) pages.push_back(int(bytes[std::size_t(z * 6)]));
    return pages;
}

}  // namespace

TEST_CASE("channels and time points are volumes, never depth") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    write_numbered(path, numbered_pages(12, imagej("images=12\nchannels=2\nslices=3\nframes=2\nhyperstack=true\n")));
    CHECK(describe_tiff(path, {}).volumes == 4);
    CHECK(describe_tiff(path, {}).extent.nz == 3);
    CHECK(kind_of([&] { open_tiff(path, {}); }) == ErrorKind::several_volumes);
    const std::string message = message_of([&] { open_tiff(path, {}); });
    CHECK(choices_of([&] { open_tiff(path, {}); }) == "0..3");
    CHECK(message.find("2 channels") != std::string::npos);
    CHECK(message.find("2 time points") != std::string::npos);
    CHECK(pages_read(path, 0) == std::vector<int>{0, 2, 4});
    CHECK(pages_read(path, 3) == std::vector<int>{7, 9, 11});
    CHECK(kind_of([&] { pages_read(path, 4); }) == ErrorKind::no_such_volume);
    CHECK(kind_of([&] { pages_read(path, -1); }) == ErrorKind::no_such_volume);

    write_numbered(path, numbered_pages(12, ome("DimensionOrder=\"XYZTC\" SizeZ=\"3\" SizeC=\"2\" SizeT=\"2\"")));
    CHECK(pages_read(path, 1) == std::vector<int>{3, 4, 5});
    CHECK(pages_read(path, 2) == std::vector<int>{6, 7, 8});
    write_numbered(path, numbered_pages(12, ome("DimensionOrder=\"XYCTZ\" SizeZ=\"3\" SizeC=\"2\" SizeT=\"2\"")));
    CHECK(pages_read(path, 1) == std::vector<int>{1, 5, 9});

    write_numbered(path, numbered_pages(12, "{\"shape\": [2, 3, 2, 2, 3], \"axes\": \"TZCYX\"}"));
    CHECK(pages_read(path, 1) == std::vector<int>{1, 3, 5});
    write_numbered(path, numbered_pages(12, "{\"shape\": [3, 4, 2, 3]}"));
    CHECK(pages_read(path, 2) == std::vector<int>{8, 9, 10, 11});
    write_numbered(path, numbered_pages(12, "{\"shape\": [12, 2, 3]}"));
    CHECK(pages_read(path, 0).size() == 12);
}

TEST_CASE("TiffData of OME gives the page of each plane") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif", three = "DimensionOrder=\"XYZCT\" SizeZ=\"3\" SizeC=\"1\" SizeT=\"1\"";
    const auto read = [&](const std::string& data) {
        write_numbered(path, numbered_pages(3, ome(three, data)));
        return pages_read(path, 0);
    };
    CHECK(read("<TiffData/>") == std::vector<int>{0, 1, 2});
    CHECK(read("<TiffData IFD=\"0\" FirstZ=\"2\"/><TiffData IFD=\"1\" PlaneCount=\"2\"/>") == std::vector<int>{1, 2, 0});
    CHECK(kind_of([&] { read("<TiffData IFD=\"0\"/>"); }) == ErrorKind::invalid_file);
    CHECK(kind_of([&] { read("<TiffData IFD=\"0\" PlaneCount=\"3\"/><TiffData IFD=\"1\"/>"); }) == ErrorKind::invalid_file);
    CHECK(kind_of([&] { read("<TiffData IFD=\"9223372036854775807\" PlaneCount=\"3\"/>"); }) == ErrorKind::invalid_file);
    CHECK(kind_of([&] { read("<TiffData><UUID FileName=\"b.tif\">2</UUID></TiffData><TiffData/>"); }) == ErrorKind::external_file);
    CHECK(kind_of([&] { read("<TiffData IFD=\"-1\"/>"); }) == ErrorKind::invalid_file);
    CHECK(kind_of([&] { read("<TiffData"); }) == ErrorKind::invalid_file);
}

TEST_CASE("metadata with more images than the file contains are bad data") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    for (const std::string& text :
         {imagej("images=4\nslices=4\n"), imagej("images=12\nchannels=2\nslices=3\n"), imagej("images=0\n"),
          imagej("images=9223372036854775807\n"), std::string("{\"shape\": [4, 2, 3]}"),
          std::string("{\"shape\": [4611686018427387904, 4, 2, 3]}"), ome("DimensionOrder=\"XYZCT\" SizeZ=\"4\" SizeC=\"1\" SizeT=\"1\""),
          ome("DimensionOrder=\"XYZZT\" SizeZ=\"3\""), ome("DimensionOrder=\"XYZCT\" SizeZ=\"many\"")}) {
        CAPTURE(text);
        write_numbered(path, numbered_pages(3, text));
        CHECK(kind_of([&] { open_tiff(path, {}); }) == ErrorKind::invalid_file);
    }
}

TEST_CASE("all images after a single ImageJ directory are read") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    for (const char* mode : {"wl", "wb"}) {
        TiffRecipe r;
        r.nx = 5, r.ny = 4, r.pages = 1, r.mode = mode, r.description = imagej("images=3\nslices=3\n");
        write_tiff(path, r, bytes_of(r));
        CHECK(kind_of([&] { open_tiff(path, {}); }) == ErrorKind::invalid_file);  // two of the three images are missing
        // ImageJ stores the images one after the other. libtiff writes the same bytes as one strip of 12 rows: the three images.
        TiffRecipe whole = r;
        whole.ny = 12, whole.rows_per_strip = 12;
        write_tiff(path, whole, bytes_of(whole));
        std::string bytes = content_of(path);
        const bool big_endian = r.mode == "wb";
        for (const std::uint16_t tag : {TIFFTAG_IMAGELENGTH, TIFFTAG_ROWSPERSTRIP}) {  // 12 rows become 4
            const char entry[4] = {char(big_endian ? tag >> 8 : tag & 255), char(big_endian ? tag & 255 : tag >> 8),
                                   char(big_endian ? 0 : 3), char(big_endian ? 3 : 0)};
            const std::size_t at = bytes.find(std::string(entry, 4));
            REQUIRE(at != std::string::npos);
            REQUIRE(bytes[at + (big_endian ? 9 : 8)] == 12);
            bytes[at + (big_endian ? 9 : 8)] = 4;
        }
        put_file(path, bytes);
        const auto reader = open_tiff(path, {});
        CHECK(reader->info().extent == Extent{5, 4, 3});
        CHECK(same_bytes(read_all(*reader, 3), bytes_of(whole)));
    }
}

TEST_CASE("spacing is read only from ImageJ and OME metadata, in their unit") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    TiffRecipe r = numbered_pages(3, imagej("images=3\nslices=3\nspacing=2.5\nunit=\\u00B5m\n"));
    r.resolution = 4;
    write_numbered(path, r);
    using Spacing = std::array<double, 3>;
    CHECK(describe_tiff(path, {}).geometry.spacing == Spacing{0.25, 0.25, 2.5});
    CHECK(describe_tiff(path, {}).geometry.unit == LengthUnit::um);
    const Geometry given = describe_volume(path, {.size = VoxelSize{{1, 2, 3}}}).geometry;
    CHECK(given.spacing == Spacing{1, 2, 3});
    CHECK(given.unit == LengthUnit::mm);

    r.description = imagej("images=3\nslices=3\nunit=cm\n");  // ImageJ omits a spacing of 1
    write_numbered(path, r);
    CHECK(describe_tiff(path, {}).geometry.spacing == Spacing{0.25, 0.25, 1});
    CHECK(describe_tiff(path, {}).geometry.unit == LengthUnit::cm);
    for (const char* unit : {"", "unit=pixel\n"}) {
        CAPTURE(unit);
        r.description = imagej(std::string("images=3\nslices=3\nspacing=2\n") + unit);
        write_numbered(path, r);
        CHECK(describe_tiff(path, {}).geometry.spacing == Spacing{0.25, 0.25, 2});
        CHECK_FALSE(describe_tiff(path, {}).geometry.unit);
    }
    r.description = imagej("images=3\nslices=3\nspacing=-1.5\nunit=mm\n");
    write_numbered(path, r);
    CHECK(describe_tiff(path, {}).geometry.spacing == Spacing{0.25, 0.25, 1.5});
    CHECK(describe_tiff(path, {}).geometry.notes.size() == 1);
    r.description = imagej("images=3\nslices=3\nspacing=nan\nunit=mm\n");
    write_numbered(path, r);
    CHECK(std::isnan(describe_tiff(path, {}).geometry.spacing.value()[2]));
    r.description = "72 dpi";
    write_numbered(path, r);
    CHECK_FALSE(describe_tiff(path, {}).geometry.spacing);
    r.description = imagej("images=3\nslices=3\nunit=micron\nyunit=nm\nzunit=\\u03BCm\nspacing=3\n");
    write_numbered(path, r);
    CHECK(describe_tiff(path, {}).geometry.spacing == Spacing{0.25, 0.00025, 3});
    CHECK(describe_tiff(path, {}).geometry.unit == LengthUnit::um);
    r.description = imagej("images=3\nslices=3\nunit=micron\nzunit=parsec\nspacing=3\n");
    write_numbered(path, r);
    CHECK_FALSE(describe_tiff(path, {}).geometry.has_size());
    CHECK(describe_tiff(path, {}).geometry.notes.size() == 1);

    r.description = ome(
        "DimensionOrder=\"XYZCT\" SizeZ=\"3\" PhysicalSizeX=\"0.3\" PhysicalSizeY=\"300\" PhysicalSizeYUnit=\"nm\" PhysicalSizeZ=\"1\"");
    write_numbered(path, r);
    CHECK(describe_tiff(path, {}).geometry.spacing == Spacing{0.3, 0.3, 1});
    r.description = ome("DimensionOrder=\"XYZCT\" SizeZ=\"3\" PhysicalSizeX=\"0.3\" PhysicalSizeY=\"0.3\"");
    write_numbered(path, r);
    CHECK(std::isnan(describe_tiff(path, {}).geometry.spacing.value()[2]));
    CHECK(describe_volume(path, {}).warnings.size() == 1);
}
