#include "tests/io/nifti_files.h"

#include <set>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

TEST_CASE("formats by name: label types and the smallest that fits") {
    using enum ScalarType;
    CHECK(label_types("a.nii.gz") == std::vector{u8, i16, i32});
    CHECK(label_types("A.NII") == std::vector{u8, i16, i32});
    for (const char* name : {"a.tif", "a.TIFF", "a.h5", "a.hdf5", "a.nrrd", "a.mha", "a.mhd", "a.npy", "slices/", "s%04d.tif"})
        CHECK(label_types(name) == std::vector{u8, u16, u32, u64});
    for (const char* name : {"a", "a.gz", "a.nii.bz2", "a.png", ".nii", ""}) {
        CAPTURE(name);
        CHECK(kind_of([&] { label_types(name); }) == ErrorKind::unknown_format);
    }
    CHECK(smallest_label_type("a.nii", 0) == u8);
    CHECK(smallest_label_type("a.nii", 255) == u8);
    CHECK(smallest_label_type("a.nii", 256) == i16);
    CHECK(smallest_label_type("a.nii", 32767) == i16);
    CHECK(smallest_label_type("a.nii", 32768) == i32);
    CHECK(smallest_label_type("a.nii", 2147483647) == i32);
    CHECK(kind_of([] { smallest_label_type("a.nii", 2147483648); }) == ErrorKind::labels_too_large);
    CHECK(smallest_label_type("a.tif", 32768) == u16);
    CHECK(smallest_label_type("a.tif", 65536) == u32);
    CHECK(smallest_label_type("a.h5", 4294967296) == u64);
}

TEST_CASE("the block size of a writer equals the size that is stated in advance") {
    const TemporaryFolder folder;
    VolumeInfo like;
    for (const Extent& extent : {Extent{7, 5, 3}, {600, 500, 40}, {3000, 2000, 3}, {3000, 2000, 1}}) {
        like.extent = extent;
        for (const char* name : {"a.nii", "a.nii.gz", "a.tif", "a.h5", "a.nrrd", "a.mha", "a.npy", "s%04d.tif"}) {
            CAPTURE(name);
            OutputFiles outputs(Overwrite::allow, {});
            const LabelVolume volume{folder / name, ScalarType::u8, &like, 1};
            const RowRange rows = create_label_volume(volume, outputs)->rows_of(0);
            CHECK(label_block_bytes(volume) == rows.count * extent.nx);
        }
    }
}

TEST_CASE("the files of a volume, also if the volume cannot be read") {
    const TemporaryFolder folder;
    const auto names = [&](const std::string& name, const OpenOptions& options = {}) {
        std::set<std::string> found;
        for (const std::string& file : files_of_volume(folder / name, options))
            found.insert(std::filesystem::path(file).lexically_relative(folder.path).string());
        return found;
    };
    using Names = std::set<std::string>;
    CHECK(names("missing.nii") == Names{"missing.nii"});
    for (const char* name : {"text.nii", "pair.hdr", "pair.img", "other.HDR", "s/a1.tif", "s/a3.tif", "s/b2.png", "s/notes1.txt"}) {
        std::filesystem::create_directory(folder / "s");
        put_file(folder / name, "no volume");
    }
    CHECK(names("text.nii") == Names{"text.nii"});
    CHECK(names("pair.hdr") == Names{"pair.hdr", "pair.img"});
    CHECK(names("pair.img") == Names{"pair.hdr", "pair.img"});
    CHECK(names("other.HDR") == Names{"other.HDR"});
    CHECK(names("s") == Names{"s", "s/a1.tif", "s/a3.tif", "s/b2.png"});
    CHECK(names("s/a%d.tif") == Names{"s/a%d.tif", "s/a1.tif", "s/a3.tif"});
    put_file(folder / "list.nhdr", "NRRD0004\ndata file: LIST\nv1.raw\n../v2.raw\n");
    put_file(folder / "pattern.nhdr", "NRRD0004\ndata file: v%d.raw 1 3 1 2\n");
    put_file(folder / "v1.raw", "");
    put_file(folder / "v3.raw", "");
    CHECK(names("list.nhdr", {.external = ExternalFiles::allow}) == Names{"list.nhdr", "v1.raw", "../v2.raw"});
    CHECK(names("pattern.nhdr", {.external = ExternalFiles::allow}) == Names{"pattern.nhdr", "v1.raw", "v3.raw"});
}

TEST_CASE("files that are not volumes give a clear error") {
    const TemporaryFolder folder;
    CHECK(kind_of_reading(folder / "missing.nii") == ErrorKind::missing_file);
    for (const char* name : {"empty.nii", "empty.tif", "empty.h5", "empty"}) {
        put_file(folder / name, "");
        CHECK(message_of([&] { open_volume(folder / name); }).find("the file is empty") != std::string::npos);
    }
    put_file(folder / "text.nii", std::string(1000, 'x'));
    CHECK(message_of([&] { open_volume(folder / "text.nii"); }).find("not NIfTI") != std::string::npos);
    put_file(folder / "text.gz", gzipped(std::string(1000, 'x')));
    CHECK(message_of([&] { open_volume(folder / "text.gz"); }).find("its format is not read compressed with gzip") != std::string::npos);
    put_file(folder / "nifti.tif", small_file().text);  // the format is detected from the content, not the name
    CHECK(values_of(folder / "nifti.tif") == count_up());
}
