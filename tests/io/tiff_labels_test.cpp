#include "io/files/checked_file.h"
#include "io/formats/tiff/tiff.h"
#include "io/formats/tiff/tiff_file.h"
#include "tests/io/files.h"
#include "tests/io/label_files.h"
#include "tests/io/tiff_images.h"

#include <algorithm>
#include <array>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

std::string description_in(const std::string& path) {
    TIFF* tiff = TIFFOpen(path.c_str(), "r");
    REQUIRE(tiff);
    char* text = nullptr;
    REQUIRE(TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text));
    std::string description = text;
    TIFFClose(tiff);
    return description;
}

/// Writes a file of several volumes, one strip per page, without compression.
void write_pages(const std::string& path, const TiffFormat& format, std::span<const std::uint8_t> bytes) {
    OutputFiles outputs(Overwrite::allow, {});
    TiffFile file(outputs.create(path), format);
    const std::size_t strip = std::size_t(format.extent.nx * format.extent.ny * size_of(format.type));
    for (std::size_t page = 0; page < std::size_t(format.pages()); ++page)
        file.append_strip(std::as_bytes(bytes.subspan(page * strip, strip)));
    file.finish();
    outputs.publish();
}

TiffFormat several_volumes(TiffFormat::Metadata metadata, std::vector<VolumeAxis> axes) {
    TiffFormat format;
    format.extent = {5, 4, 3};
    format.volume_axes = std::move(axes);
    format.type = ScalarType::u16;
    format.rows_per_strip = 4;
    format.compression = TiffFormat::Compression::none;
    format.metadata = metadata;
    format.content = "labels";
    return format;
}

}  // namespace

TEST_CASE("label volumes of all types and block shapes are read back by voxcc and libtiff") {
    const TemporaryFolder folder;
    const std::string path = folder / "labels.tif";
    for (const ScalarType type : {ScalarType::u8, ScalarType::u16, ScalarType::u32, ScalarType::u64})
        for (const Extent& extent : {Extent{5, 4, 1}, Extent{3, 2, 7}, Extent{256, 256, 40}, Extent{3001, 3001, 1}, Extent{4096, 2100, 2}})
            for (const int level : {0, 1}) {
                if (extent.voxels() > 4'000'000 && (type != ScalarType::u16 || level == 0)) continue;  // large volumes once, to save time
                CAPTURE(name_of(type));
                CAPTURE(extent.nx);
                CAPTURE(level);
                const VolumeInfo info = volume_of(extent);
                const auto labels = some_bytes(std::size_t(extent.voxels() * size_of(type)));
                write_labels({path, type, &info, level}, labels);
                const auto reader = open_tiff(path, {});
                CHECK(reader->info().type == type);
                CHECK(reader->info().extent == extent);
                CHECK(same_bytes(read_all(*reader, 100), labels));
                TIFF* tiff = TIFFOpen(path.c_str(), "r");
                REQUIRE(tiff);
                CHECK(TIFFNumberOfDirectories(tiff) == extent.nz);
                TIFFClose(tiff);
            }
}

TEST_CASE("large and small spacings of label volumes are read back") {
    const TemporaryFolder folder;
    for (const std::array<double, 3>& spacing :
         {std::array{0.00026, 0.00026, 0.00029}, std::array{0.7812, 0.7812, 6.5}, std::array{1.0, 2.0, 3.0}}) {
        VolumeInfo info = volume_of({4, 3, 2});
        info.geometry = {.spacing = spacing, .unit = LengthUnit::mm};
        write_labels({folder / "a.tif", ScalarType::u16, &info, 1}, some_bytes(48));
        const auto read = describe_tiff(folder / "a.tif", {}).geometry.spacing;
        REQUIRE(read);
        for (std::size_t axis = 0; axis < 3; ++axis) CHECK((*read)[axis] == doctest::Approx(spacing[axis]).epsilon(1e-9));
    }
}

TEST_CASE("70,000 pages are written and read") {
    const TemporaryFolder folder;
    const VolumeInfo info = volume_of({2, 2, 70000});
    const auto labels = some_bytes(280000);
    write_labels({folder / "a.tif", ScalarType::u8, &info, 1}, labels);
    const auto reader = open_tiff(folder / "a.tif", {});
    CHECK(reader->info().extent == info.extent);
    CHECK(same_bytes(read_all(*reader, 1000), labels));
}

TEST_CASE("volumes beyond 4 GB become BigTIFF") {
    const TemporaryFolder folder;
    const VolumeInfo info = volume_of({4096, 4096, 260});
    OutputFiles outputs(Overwrite::refuse, {});
    const auto writer = create_tiff({folder / "a.tif", ScalarType::u8, &info, 1}, outputs);
    std::vector<std::byte> raw(std::size_t(writer->rows_of(0).count * 4096));
    const EncodedBlock zeros = writer->encode(0, raw);
    std::fill(raw.begin(), raw.end(), std::byte{7});
    for (std::int64_t block = 0; block + 1 < writer->blocks(); ++block) writer->append(block, zeros);
    writer->append(writer->blocks() - 1, writer->encode(writer->blocks() - 1, raw));
    writer->finish();
    outputs.publish();
    const auto reader = open_tiff(folder / "a.tif", {});
    CHECK(reader->info().format == "BigTIFF");
    CHECK(description_in(folder / "a.tif").ends_with("slices=260\nloop=false\nmin=0\nmax=7\n"));
    CHECK(reader->info().extent == info.extent);
    std::vector<std::byte> row(4096);
    reader->read_rows({0, 1}, row.data());
    CHECK(std::count(row.begin(), row.end(), std::byte{0}) == 4096);
    reader->read_rows({info.extent.rows() - 1, 1}, row.data());
    CHECK(std::count(row.begin(), row.end(), std::byte{7}) == 4096);
}

TEST_CASE("several volumes become BigTIFF if they are beyond 4 GB together") {
    const TemporaryFolder folder;
    const VolumeInfo info = volume_of({1024, 1024, 100});  // 105 MB per volume
    const auto version_of = [&](const std::string& path, std::int64_t volumes) {
        OutputFiles outputs(Overwrite::refuse, {});
        const auto writer =
            create_label_volume({.path = path, .type = ScalarType::u8, .like = &info, .compress = 0, .volumes = volumes}, outputs);
        return int(content_of(outputs.files().front()->temporary()).at(2));
    };
    for (const char* name : {"a.tif", "a.ome.tif"}) {
        CHECK(version_of(folder / name, 37) == TIFF_VERSION_CLASSIC);
        CHECK(version_of(folder / name, 38) == TIFF_VERSION_BIG);
    }
}

TEST_CASE("an unfinished label volume leaves no files") {
    const TemporaryFolder folder;
    const VolumeInfo info = volume_of({300, 300, 50});
    {
        OutputFiles outputs(Overwrite::refuse, {});
        const auto writer = create_tiff({folder / "a.tif", ScalarType::u32, &info, 1}, outputs);
        writer->append(0, writer->encode(0, std::vector<std::byte>(std::size_t(writer->rows_of(0).count * 1200))));
        CHECK(kind_of([&] { writer->finish(); }) == ErrorKind::internal);
    }
    CHECK(folder.entries() == 0);
}

TEST_CASE("files of several volumes are read back volume by volume") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.tif";
    using enum TiffFormat::Metadata;
    struct Case {
        TiffFormat::Metadata metadata;
        std::vector<VolumeAxis> axes;
        std::string stated;  // in the description
    };
    const std::vector<Case> cases{{ome, {}, R"(DimensionOrder="XYZCT")"},
                                  {ome, {{"T", 4}}, R"(SizeZ="3" SizeC="1" SizeT="4")"},
                                  {ome, {{"C", 2}, {"T", 3}}, R"(DimensionOrder="XYZCT")"},
                                  {ome, {{"T", 3}, {"C", 2}}, R"(DimensionOrder="XYZTC")"},
                                  {imagej, {}, "images=3\nslices=3\nloop=false\n"},
                                  {imagej, {{"T", 4}}, "images=12\nslices=3\nframes=4\nhyperstack=true\n"}};
    for (const Case& c : cases) {
        const TiffFormat format = several_volumes(c.metadata, c.axes);
        const std::size_t volume_bytes = 5 * 4 * 3 * 2;
        const auto bytes = some_bytes(volume_bytes * std::size_t(format.volumes()));
        write_pages(path, format, bytes);
        CAPTURE(c.stated);
        CHECK(description_in(path).find(c.stated) != std::string::npos);
        CHECK(describe_tiff(path, {}).volumes == format.volumes());
        for (std::int64_t volume = 0; volume < format.volumes(); ++volume) {
            const auto reader = open_tiff(path, {.volume = volume});
            CHECK(reader->info().extent == format.extent);
            CHECK(same_bytes(read_all(*reader, 7), std::span(bytes).subspan(volume_bytes * std::size_t(volume), volume_bytes)));
        }
    }
}

TEST_CASE("TIFF files that the metadata cannot describe are refused before anything is written") {
    const TemporaryFolder folder;
    OutputFiles outputs(Overwrite::refuse, {});
    OutputFile& file = outputs.create(folder / "a.tif");
    const auto start = [&](const TiffFormat& format) { return error_of([&] { TiffFile(file, format); }); };
    CHECK(start(several_volumes(TiffFormat::Metadata::imagej, {{"C", 2}}))->cause() ==
          "ImageJ stores several channels inside a slice; write .ome.tif");
    TiffFormat wide = several_volumes(TiffFormat::Metadata::ome, {});
    wide.type = ScalarType::u64;
    CHECK(start(wide)->kind() == ErrorKind::unsupported_label_type);
    CHECK(start(several_volumes(TiffFormat::Metadata::ome, {{"T", 400'000}}))->kind() == ErrorKind::cannot_create);
    CHECK(file.position() == 0);
}
