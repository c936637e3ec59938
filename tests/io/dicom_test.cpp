// DICOM: elements, division of frames into volumes, pixels, and a real series. tests/python/test_dicom_*.py compare whole files.
#include "io/formats/dicom/dicom.h"
#include "io/formats/dicom/dicom_folder.h"
#include "io/formats/dicom/dicom_pixels.h"
#include "io/formats/dicom/dicom_volumes.h"
#include "tests/io/files.h"
#include "tests/io/label_files.h"

#include <filesystem>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

const std::string data = VOXCC_TEST_DATA;

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
    std::vector<std::byte> bytes;
    for (const int value : values) bytes.push_back(std::byte(value));
    return bytes;
}

/// Frames of one object at the given positions along z, with the given values of its dimensions.
struct Frames {
    DicomObject object;
    std::vector<DicomFrameOf> frames;
    Frames(const std::vector<double>& positions, std::vector<DicomDimension> dimensions, const std::vector<std::vector<double>>& values) {
        object.dimensions = std::move(dimensions);
        object.frames.resize(positions.size());
        for (std::size_t i = 0; i < positions.size(); ++i) {
            DicomFrame& frame = object.frames[i];
            frame.number = std::int64_t(i);
            frame.plane = DicomPlane{{10, 20, positions[i]}, {{{1, 0, 0}, {0, 1, 0}}}};
            frame.spacing = {{0.25, 0.5}};
            if (!values.empty()) frame.dimensions = values[i];
            frames.push_back({&object, &frame});
        }
    }
    DicomVolumes arranged() const { return arrange("a.dcm", frames); }
};

using Slices = std::vector<std::int64_t>;

/// Parses a file with the transfer syntax explicit little endian and this data set.
std::optional<ErrorKind> kind_of_parsing(const std::string& elements) {
    using namespace std::string_literals;
    const TemporaryFolder folder;
    const std::string path = folder / "a.dcm";
    put_file(path, std::string(128, '\0') + "DICM" + "\2\0\x10\0UI\x14\0"s + "1.2.840.10008.1.2.1\0"s + elements);
    return kind_of([&] {
        DicomBytes bytes(path);
        parse_dicom(bytes);
    });
}

}  // namespace

TEST_CASE("items and delimiters are not elements") {
    using namespace std::string_literals;
    const std::string sequence = "\x00\x52\x30\x92SQ\0\0\xff\xff\xff\xff"s, rows = "\x28\0\x10\0US\2\0\4\0"s;
    const std::string item = "\xfe\xff\x00\xe0\xff\xff\xff\xff"s, item_end = "\xfe\xff\x0d\xe0\0\0\0\0"s,
                      sequence_end = "\xfe\xff\xdd\xe0\0\0\0\0"s, short_item = "\xfe\xff\x00\xe0\x0a\0\0\0"s + rows;
    CHECK_FALSE(kind_of_parsing(rows + sequence + item + rows + item_end + short_item + sequence_end));
    CHECK(kind_of_parsing(rows + sequence + item + rows + short_item + item_end + sequence_end) == ErrorKind::damaged_file);
    CHECK(kind_of_parsing(rows + sequence + item + rows + sequence_end + item_end + sequence_end) == ErrorKind::damaged_file);
    CHECK(kind_of_parsing(rows + short_item) == ErrorKind::damaged_file);
    CHECK(kind_of_parsing(rows + item_end) == ErrorKind::damaged_file);
}

TEST_CASE("a delimiter has no length") {
    using namespace std::string_literals;
    const std::string sequence = "\x00\x52\x30\x92SQ\0\0\xff\xff\xff\xff"s, rows = "\x28\0\x10\0US\2\0\4\0"s;
    const std::string pixels = "\xe0\x7f\x10\0OB\0\0\xff\xff\xff\xff"s + "\xfe\xff\x00\xe0\0\0\0\0"s;
    const std::string item = "\xfe\xff\x00\xe0\xff\xff\xff\xff"s, item_end = "\xfe\xff\x0d\xe0"s, sequence_end = "\xfe\xff\xdd\xe0"s;
    const std::string none = "\0\0\0\0"s, some = "\0\xff\xff\xff"s;
    CHECK_FALSE(kind_of_parsing(sequence + item + rows + item_end + none + sequence_end + none + pixels + sequence_end + none));
    CHECK(kind_of_parsing(sequence + item + rows + item_end + some + sequence_end + none) == ErrorKind::damaged_file);
    CHECK(kind_of_parsing(sequence + item + rows + item_end + none + sequence_end + some) == ErrorKind::damaged_file);
    CHECK(kind_of_parsing(pixels + sequence_end + some) == ErrorKind::damaged_file);
}

TEST_CASE("only sequences and pixel data may have an undefined length") {
    using namespace std::string_literals;
    const std::string open = "\0\0\xff\xff\xff\xff"s, fragment = "\xfe\xff\x00\xe0\2\0\0\0ab"s, end = "\xfe\xff\xdd\xe0\0\0\0\0"s;
    const std::string icon = "\xe0\x7f\x10\0OB"s + open + fragment + end;
    const std::string item = "\xfe\xff\x00\xe0\xff\xff\xff\xff"s, item_end = "\xfe\xff\x0d\xe0\0\0\0\0"s;
    CHECK_FALSE(kind_of_parsing("\x88\0\0\2SQ"s + open + item + icon + item_end + end));
    CHECK_FALSE(kind_of_parsing("\xda\xda\x92\x29UN"s + open + fragment + end));
    for (const char* type : {"OW", "OB", "OF", "UT"})
        CHECK(kind_of_parsing("\xda\xda\x92\x29"s + type + open + fragment + end) == ErrorKind::damaged_file);
    // The content of an element of type UN has implied types.
    const std::string undefined = "\xff\xff\xff\xff"s, unknown = "\xda\xda\x92\x29UN"s + open + item;
    CHECK_FALSE(kind_of_parsing(unknown + "\x09\0\x10\x10"s + undefined + fragment + end + item_end + end));
    CHECK(kind_of_parsing(unknown + "\x28\0\x10\0"s + undefined + fragment + end + item_end + end) == ErrorKind::damaged_file);
}

TEST_CASE("sequences that are not used are walked") {
    using namespace std::string_literals;
    const std::string tag = "\x09\0\x10\x10SQ\0\0\x12\0\0\0"s, item = "\xfe\xff\x00\xe0\x0a\0\0\0"s, after = "\x28\0\x11\0US\2\0\4\0"s;
    CHECK_FALSE(kind_of_parsing(tag + item + "\x28\0\x10\0US\2\0\4\0"s + after));
    CHECK(kind_of_parsing(tag + item + "\x28\0\x10\0US\4\0\4\0"s + after) == ErrorKind::damaged_file);
}

TEST_CASE("pixel data have a value representation for bytes or words") {
    using namespace std::string_literals;
    const std::string tag = "\xe0\x7f\x10\0"s, item = "\xfe\xff\x00\xe0\0\0\0\0"s, end = "\xfe\xff\xdd\xe0\0\0\0\0"s;
    for (const char* type : {"OB", "OW", "UN"}) {
        CHECK_FALSE(kind_of_parsing(tag + type + "\0\0\2\0\0\0ab"s));
        CHECK_FALSE(kind_of_parsing(tag + type + "\0\0\xff\xff\xff\xff"s + item + end));
    }
    CHECK(kind_of_parsing(tag + "UR\0\0\2\0\0\0ab"s) == ErrorKind::damaged_file);
    CHECK(kind_of_parsing(tag + "US\2\0ab"s) == ErrorKind::damaged_file);
    for (const char* type : {"UR", "SQ", "OF"})
        CHECK(kind_of_parsing(tag + type + "\0\0\xff\xff\xff\xff"s + item + end) == ErrorKind::damaged_file);
}

TEST_CASE("frames are sorted by position") {
    const Frames frames({6, 0, 3}, {}, {});
    const DicomVolumes volumes = frames.arranged();
    REQUIRE(volumes.volumes.size() == 1);
    CHECK(volumes.volumes[0].slices == Slices{1, 2, 0});
    CHECK(volumes.volumes[0].name.empty());
    CHECK(volumes.volumes[0].geometry.affine == Affine{{{-0.25, 0, 0, -10}, {0, -0.5, 0, -20}, {0, 0, 3, 0}}});
    for (const std::vector<double>& positions : {std::vector<double>{0, 3, 9}, {9, 6, 0}, {0, 3, 6, 12}, {0, 6, 9, 12, 15}})
        CHECK(message_of([&] { Frames(positions, {}, {}).arranged(); }).find("a slice is missing between") != std::string::npos);
}

TEST_CASE("dimensions divide frames with equal positions") {
    const DicomDimension time{"time point", "", 'T'}, echo{"echo time", "ms", 'E'};
    const DicomVolumes volumes = Frames({0, 3, 0, 3}, {echo, time}, {{2, 1}, {2, 1}, {2, 2}, {2, 2}}).arranged();
    REQUIRE(volumes.volumes.size() == 2);
    CHECK(volumes.volumes[1].slices == Slices{2, 3});
    CHECK(volumes.volumes[1].name == "time point 2");
    REQUIRE(volumes.axes.size() == 1);
    CHECK(volumes.axes[0].name == "T");
    // A value per frame is not a dimension of volumes.
    CHECK(message_of([&] { Frames({0, 3, 0, 3}, {time}, {{1}, {2}, {3}, {4}}).arranged(); }).find("no time, echo") != std::string::npos);
    // Without equal positions, nothing is divided.
    CHECK(Frames({0, 3, 6, 9}, {time}, {{1}, {2}, {3}, {4}}).arranged().volumes.size() == 1);
}

TEST_CASE("pixels") {
    std::vector<std::byte> bits(3);
    unpack_bits(bytes_of({0x05}), 0, bits);
    CHECK(bits == bytes_of({1, 0, 1}));
    unpack_bits(bytes_of({0x80, 0x01}), 6, bits);
    CHECK(bits == bytes_of({0, 1, 1}));

    auto samples = bytes_of({0x05, 0xf0});
    std::vector<std::byte> voxels(2);
    const DicomSamples twelve_bits{DicomSamples::Kind::integer, 16, 12, 11, false};
    convert_samples({twelve_bits, {2, 1}, ScalarType::i16}, samples, voxels.data());
    CHECK(voxels == bytes_of({11, 0}));
    auto negative = bytes_of({0xff, 0x0f});
    convert_samples({{DicomSamples::Kind::integer, 16, 12, 11, true}, {}, ScalarType::i16}, negative, negative.data());
    CHECK(negative == bytes_of({0xff, 0xff}));

    DicomObject object;
    object.samples = {DicomSamples::Kind::integer, 8, 8, 7, false};
    std::vector<std::byte> frame(64), decoded(5);
    frame[0] = std::byte{1}, frame[4] = std::byte{64};
    for (const int byte : {0xfe, 7, 0x80, 1, 8, 9}) frame.push_back(std::byte(byte));
    decode_rle(frame, object, decoded);
    CHECK(decoded == bytes_of({7, 7, 7, 8, 9}));
    frame.pop_back();
    CHECK(kind_of([&] { decode_rle(frame, object, decoded); }) == ErrorKind::corrupt_file);
}

TEST_CASE("the type holds all values") {
    Frames frames({0, 3}, {}, {});
    frames.object.samples = {DicomSamples::Kind::integer, 16, 12, 11, false};
    CHECK(voxel_type(frames.frames) == ScalarType::u16);
    frames.object.frames[1].scaling = {1, -1024};
    CHECK(voxel_type(frames.frames) == ScalarType::i16);
    frames.object.frames[0].scaling = {100, 0};
    CHECK(voxel_type(frames.frames) == ScalarType::i32);
    frames.object.frames[0].scaling = {0.5, 0};
    CHECK(voxel_type(frames.frames) == ScalarType::f64);
    frames.object.samples.allocated = 64, frames.object.samples.stored = 64;
    frames.object.frames[0].scaling = {};
    CHECK(voxel_type(frames.frames) == ScalarType::f64);
}

TEST_CASE("a DICOM series with a missing or truncated slice is refused") {
    if (data.empty()) {
        MESSAGE("SKIPPED: DICOM series; VOXCC_TEST_DATA is not set");
        return;
    }
    const TemporaryFolder folder;
    const std::filesystem::path series = folder.path / "series";
    std::filesystem::copy(data + "/other/dicom_17", series);
    std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(series), std::filesystem::directory_iterator{});
    std::ranges::sort(files);
    const auto kind_of_reading = [](const std::string& path) { return kind_of([&] { read_all(*open_dicom(path, {}), 7); }); };
    CHECK_FALSE(kind_of_reading(series));
    CHECK(count_above(*open_dicom(series, {}), 0) == 178686);
    CHECK(count_above(*open_dicom(series, {}), 200) == 77492);
    CHECK(is_dicom_folder(series));
    CHECK(files_of_volume(series).size() == 1 + 17);
    CHECK_FALSE(is_dicom_folder(data + "/other"));
    CHECK_FALSE(is_dicom_folder(data + "/other/missing"));
    const std::string slice = content_of(files[5]);
    for (const std::size_t size : {slice.size() - 1, slice.size() / 2, std::size_t{700}, std::size_t{140}}) {
        put_file(files[5], slice.substr(0, size));
        CHECK(about_content(kind_of_reading(series)));
        CHECK(about_content(kind_of_reading(files[5])));
    }
    std::filesystem::remove(files[5]);
    CHECK(message_of([&] { open_dicom(series, {}); }).find("a slice is missing between") != std::string::npos);
}
