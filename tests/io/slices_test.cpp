#include "io/formats/slices/slices.h"
#include "io/files/checked_file.h"
#include "tests/io/files.h"
#include "tests/io/label_files.h"
#include "tests/io/tiff_images.h"

#include <sys/resource.h>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

// A slice of 3 x 2 voxels.
TiffRecipe small_slice() {
    TiffRecipe r;
    r.nx = 3, r.ny = 2, r.bits = 8, r.pages = 1;
    return r;
}

void put_slice(const std::string& path, std::uint8_t value, const TiffRecipe& r = small_slice()) {
    write_tiff(path, r, std::vector<std::uint8_t>(r.row_bytes() * r.ny * r.pages, value));
}

std::vector<int> values_of(const std::string& path) {
    const auto reader = open_slices(path, {});
    const auto voxels = read_all(*reader, 3);
    std::vector<int> values;
    for (std::int64_t z = 0; z < reader->info().extent.nz; ++z) values.push_back(int(voxels[std::size_t(6 * z + 5)]));
    return values;
}

std::vector<std::uint8_t> counting(std::size_t count) {
    std::vector<std::uint8_t> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = std::uint8_t(i * 7 + i / 251);
    return values;
}

}  // namespace

TEST_CASE("slices are put in order by number, not by name") {
    const TemporaryFolder folder;
    for (int i = 8; i <= 11; ++i) put_slice(folder / (std::string("scan2_z") + std::to_string(i) + ".tif"), std::uint8_t(i));
    put_file(folder / "readme 1.txt", "no slice");
    CHECK(values_of(folder.path.string()) == std::vector<int>{8, 9, 10, 11});
    CHECK(values_of(folder / "scan2_z%d.tif") == std::vector<int>{8, 9, 10, 11});
    CHECK(values_of(folder / "scan2_z%04d.tif") == std::vector<int>{8, 9, 10, 11});
    const VolumeInfo info = describe_slices(folder.path.string(), {});
    CHECK(info.extent == Extent{3, 2, 4});
    CHECK(info.dimensions == 3);
    CHECK(info.format == "TIFF slices");
}

TEST_CASE("slices are ordered by the number that differs between the names") {
    const TemporaryFolder folder;
    for (int i = 0; i < 3; ++i) put_slice(folder / (std::string("z") + std::to_string(i) + "_8bit.tif"), std::uint8_t(i));
    CHECK(values_of(folder.path.string()) == std::vector<int>{0, 1, 2});
}

TEST_CASE("missing, repeated and mixed slice numbers are named in the error") {
    const TemporaryFolder folder;
    for (const int i : {0, 1, 3, 7}) put_slice(folder / (std::string("s") + std::to_string(i) + ".tif"), std::uint8_t(i));
    CHECK(kind_of([&] { open_slices(folder.path.string(), {}); }) == ErrorKind::invalid_file);
    CHECK(message_of([&] { open_slices(folder.path.string(), {}); }).find("missing: 2, 4..6") != std::string::npos);
    CHECK(message_of([&] { open_slices(folder / "s%d.tif", {}); }).find("missing: 2, 4..6") != std::string::npos);

    put_slice(folder / "s01.tif", 1);
    CHECK(message_of([&] { open_slices(folder / "s%d.tif", {}); }).find("the number 1") != std::string::npos);

    put_slice(folder / "t0.tif", 0);
    CHECK(kind_of([&] { open_slices(folder.path.string(), {}); }) == ErrorKind::invalid_file);
    const std::string message = message_of([&] { open_slices(folder.path.string(), {}); });
    CHECK(message.find("s*.tif (5)") != std::string::npos);
    CHECK(message.find("t*.tif (1)") != std::string::npos);
    CHECK(values_of(folder / "t%d.tif") == std::vector<int>{0});
}

TEST_CASE("an input without slices is a missing input") {
    const TemporaryFolder folder;
    CHECK(kind_of([&] { open_slices(folder.path.string(), {}); }) == ErrorKind::missing_part);
    CHECK(kind_of([&] { open_slices(folder / "s%d.tif", {}); }) == ErrorKind::missing_part);
    CHECK(kind_of([&] { open_slices(folder / "no/s%d.tif", {}); }) == ErrorKind::missing_file);
}

TEST_CASE("the error names a slice that differs from the others") {
    const TemporaryFolder folder;
    for (int i = 0; i < 3; ++i) put_slice(folder / (std::string("s") + std::to_string(i) + ".tif"), std::uint8_t(i));
    TiffRecipe odd = small_slice();
    SUBCASE("in size") { odd.nx = 4; }
    SUBCASE("in type") { odd.format = SAMPLEFORMAT_INT; }
    SUBCASE("in pages") { odd.pages = 2; }
    SUBCASE("in volumes") {
        odd.pages = 2;
        odd.description = "ImageJ=1.53c\nimages=2\nchannels=2\n";
    }
    put_slice(folder / "s1.tif", 1, odd);
    CHECK(kind_of([&] { open_slices(folder.path.string(), {}); }) == ErrorKind::invalid_file);
    CHECK(message_of([&] { open_slices(folder.path.string(), {}); }).find("s1.tif") != std::string::npos);
}

TEST_CASE("a slice that is replaced while the volume is read is refused") {
    const TemporaryFolder folder;
    for (int i = 0; i < 3; ++i) put_slice(folder / (std::string("s") + std::to_string(i) + ".tif"), std::uint8_t(i));
    const auto reader = open_slices(folder.path.string(), {});
    TiffRecipe larger = small_slice();
    larger.nx = 4000;
    put_slice(folder / "s2.tif", 2, larger);
    CHECK(kind_of([&] { read_all(*reader, 1); }) == ErrorKind::invalid_file);
}

TEST_CASE("templates have one number, in the name of the file") {
    for (const char* good : {"s%d.tif", "a/s%04d.tif", "%02d.tif"}) CHECK(is_slice_template(good));
    for (const char* bad : {"s.tif", "s%d_%d.tif", "s%s.tif", "s%.tif", "s%4d.tif", "a%d/s.tif", "s%0000000004d.tif"}) {
        CAPTURE(bad);
        CHECK(!is_slice_template(bad));
    }
}

TEST_CASE("label slices are read back with their spacing") {
    const TemporaryFolder folder;
    VolumeInfo info = volume_of({7, 5, 12});
    info.geometry = {.spacing = std::array{0.5, 0.25, 2.0}, .unit = LengthUnit::mm};
    const auto labels = counting(7 * 5 * 12 * 4);
    for (const std::string& path : {folder / "out/", folder / "t_%02d.tif"})
        for (const int level : {0, 1}) {
            CAPTURE(path);
            write_labels({path, ScalarType::u32, &info, level}, labels);
            const auto reader = open_slices(path, {});
            CHECK(reader->info().extent == info.extent);
            CHECK(reader->info().type == ScalarType::u32);
            CHECK(reader->info().geometry.spacing == info.geometry.spacing);
            CHECK(same_bytes(read_all(*reader, 4), labels));
        }
    CHECK(std::filesystem::exists(folder / "out/label_0000.tif"));
    CHECK(std::filesystem::exists(folder / "out/label_0011.tif"));
    CHECK(std::filesystem::exists(folder / "t_11.tif"));
}

TEST_CASE("slices larger than a block are read back") {
    const TemporaryFolder folder;
    const VolumeInfo info = volume_of({2048, 5000, 2});
    const auto labels = counting(2048 * 5000 * 2);
    write_labels({folder / "out/", ScalarType::u8, &info, 1}, labels);
    CHECK(same_bytes(read_all(*open_slices(folder / "out", {}), 5000), labels));
}

TEST_CASE("slices of another volume are not mixed with these") {
    const TemporaryFolder folder;
    const VolumeInfo five = volume_of({2, 2, 5}), three = volume_of({2, 2, 3});
    write_labels({folder / "out/", ScalarType::u8, &five, 1}, counting(20));
    CHECK(kind_of([&] { write_labels({folder / "out/", ScalarType::u8, &three, 1}, counting(12)); }) == ErrorKind::cannot_create);
    CHECK(describe_slices(folder / "out", {}).extent == five.extent);
    OutputFiles refusing(Overwrite::refuse, {});
    CHECK(kind_of([&] { create_slices({folder / "out/", ScalarType::u8, &five, 1}, refusing); }) == ErrorKind::exists);
}

TEST_CASE("an unfinished folder of slices leaves no files") {
    const TemporaryFolder folder;
    const VolumeInfo info = volume_of({2000, 2000, 8});
    {
        OutputFiles outputs(Overwrite::refuse, {});
        const auto writer = create_slices({folder / "out", ScalarType::u8, &info, 1}, outputs);
        for (const std::int64_t block : {0, 1})
            writer->append(block, writer->encode(block, std::vector<std::byte>(std::size_t(writer->rows_of(block).count * 2000))));
        CHECK(kind_of([&] { writer->finish(); }) == ErrorKind::internal);
    }
    CHECK(folder.entries() == 0);
}

TEST_CASE("more slices than file descriptors can be read and written") {
    const TemporaryFolder folder;
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit few{40, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
    const VolumeInfo info = volume_of({2, 2, 100});
    write_labels({folder / "out/", ScalarType::u16, &info, 1}, counting(800));
    CHECK(same_bytes(read_all(*open_slices(folder / "out", {}), 2), counting(800)));
    setrlimit(RLIMIT_NOFILE, &before);
}

TEST_CASE("real slices") {
    const std::string data = VOXCC_TEST_DATA;
    if (data.empty()) {
        MESSAGE("SKIPPED: real slices, VOXCC_TEST_DATA is not set");
        return;
    }
    const auto reader = open_slices(data + "/tiff/slices_brain_u16", {});
    CHECK(reader->info().extent == Extent{627, 1116, 8});
    CHECK(count_above(*reader, 1000) == 4111);
    CHECK(message_of([&] { open_slices(data + "/hostile/slices_gap", {}); }).find("missing: 2") != std::string::npos);
}
