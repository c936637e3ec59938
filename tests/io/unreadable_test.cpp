#include "io/unreadable.h"

#include "io/io.h"
#include "io/shared_by_formats.h"
#include "tests/io/nifti_files.h"

#include <filesystem>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

std::string message_for(const std::string& path) {
    return message_of([&] { open_volume(path); });
}

bool ends_with(const std::string& text, const std::string& end) { return text.ends_with(end); }

}  // namespace

TEST_CASE("unreadable: a format is found by extension, in any case") {
    const TemporaryFolder folder;
    put_file(folder / "a.MIF", "x");
    CHECK(kind_of_reading(folder / "a.MIF") == ErrorKind::unsupported_file);
    CHECK(ends_with(message_for(folder / "a.MIF"), "convert it with 'mrconvert " + (folder / "a.MIF") + " " + (folder / "a") + ".nii.gz'"));
}

TEST_CASE("unreadable: a format is found by content") {
    const TemporaryFolder folder;
    put_file(folder / "packed", std::string("\x28\xb5\x2f\xfd\x20\x01\x09\0\0x", 10));
    CHECK(message_for(folder / "packed").find("is not read compressed with zstd") != std::string::npos);
    put_file(folder / "archive", std::string(257, '\0') + "ustar");
    CHECK(message_for(folder / "archive").find("is a tar archive") != std::string::npos);
    put_file(folder / "short", std::string(255, '\0') + "ustar");
    CHECK(message_for(folder / "short").find("is not in a known image format") != std::string::npos);
}

TEST_CASE("unreadable: a folder names the largest group of its files") {
    const TemporaryFolder folder;
    const auto message = [&] { return message_for(folder.path.string()); };
    CHECK(message().find("no image in this folder") != std::string::npos);
    put_file(folder / ".hidden.nii", "x");
    put_file(folder / "notes.txt", "x");
    CHECK(message().find("no image in this folder") != std::string::npos);
    put_file(folder / "a.h5", "x");
    CHECK(ends_with(message(), "1 HDF5 file here; name it, as in " + (folder / "a.h5")));
    for (const char* name : {"a.nii.gz", "b.nii.gz"}) put_file(folder / name, "x");
    CHECK(ends_with(message(), "2 NIfTI files here; name them, as in " + (folder / "*.nii.gz")));
    CHECK(kind_of_reading(folder.path.string()) == ErrorKind::missing_part);
}

TEST_CASE("Zarr is found by the name or the files of a folder") {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.path / "a.zarr");
    std::filesystem::create_directories(folder.path / "b");
    put_file(folder / "b/zarr.json", "{}");
    for (const char* name : {"a.zarr", "a.zarr/"}) {
        CAPTURE(name);
        CHECK(kind_of_reading(folder / name) == ErrorKind::invalid_file);
        CHECK(message_for(folder / name).find("has no metadata of Zarr") != std::string::npos);
    }
    for (const char* name : {"b", "b/", "b/zarr.json"}) {
        CAPTURE(name);
        CHECK(message_for(folder / name).find("'zarr_format' is missing") != std::string::npos);
    }
}

TEST_CASE("with_names: names count only if there is one per channel") {
    const std::string longest(256, 'x');
    CHECK(with_names({"C", 2}, {"A", ""}).positions == std::vector<std::string>{"A", ""});
    CHECK(with_names({"C", 2}, {"A", longest + "x"}).positions == std::vector<std::string>{"A", ""});
    CHECK(with_names({"C", 1}, {longest}).positions == std::vector<std::string>{longest});
    CHECK(with_names({"C", 2}, {"", ""}).positions.empty());
    CHECK(with_names({"C", 2}, {}).ignored_names.empty());
    CHECK(with_names({"C", 2}, {"A"}).positions.empty());
    CHECK(with_names({"C", 2}, {"A"}).ignored_names == "states 1 name for 2 channels");
    CHECK(with_names({"C", 1}, {"A", "B"}).ignored_names == "states 2 names for 1 channel");
}

TEST_CASE("listed_names: bounded") {
    CHECK(listed_names({}).empty());
    CHECK(listed_names({"A", "", "B"}) == "A, B");
    CHECK(listed_names(std::vector<std::string>(25, "A")).ends_with(", A, A and 5 more"));
    CHECK(listed_names(std::vector<std::string>(25, std::string(256, 'x'))).size() < 600);
}

TEST_CASE("volume_order: the first axis is the fastest") {
    CHECK(volume_order({}) == "");
    CHECK(volume_order({{"T", 5}}) == "t");
    CHECK(volume_order({{"C", 2}, {"T", 3}}) == "t * 2 + c");
    CHECK(volume_order({{"T", 3}, {"C", 2}}) == "c * 3 + t");
    CHECK(volume_order({{"C", 2}, {"T", 3}, {"S", 4}}) == "s * 6 + t * 2 + c");
}
