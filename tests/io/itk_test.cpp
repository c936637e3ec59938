// NRRD and MetaImage: truncated files are refused, geometry is in RAS, and data files outside the folder of
// the header need permission.
#include "io/io.h"
#include "tests/io/files.h"
#include "tests/io/label_files.h"

#include <sys/stat.h>
#include <cmath>
#include <numeric>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

const std::string data = VOXCC_TEST_DATA;
const Affine oblique{{{1.9, 0.1, -0.3, -31.25}, {-0.2, 1.4, 0.25, 7.5}, {0.4, -0.1, 3.1, 100.125}}};

std::vector<std::uint8_t> counting(const Extent& extent) {
    std::vector<std::uint8_t> labels(std::size_t(extent.voxels()));
    std::iota(labels.begin(), labels.end(), std::uint8_t{0});
    return labels;
}

std::vector<std::byte> voxels_of(const std::string& path, const OpenOptions& options = {}) {
    return read_all(*open_volume(path, options), 7);
}

std::optional<ErrorKind> kind_of_reading(const std::string& path, const OpenOptions& options = {}) {
    return kind_of([&] { voxels_of(path, options); });
}

double difference(const Affine& a, const Affine& b) {
    double largest = 0;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 4; ++column) largest = std::max(largest, std::abs(a[row][column] - b[row][column]));
    return largest;
}

// An NRRD file of 4 x 3 x 2 bytes with the values 0 to 23.
std::string nrrd(const std::string& fields, const std::string& sizes = "4 3 2") {
    std::string text = "NRRD0004\ntype: uchar\ndimension: 3\nsizes: " + sizes + "\nencoding: raw\n" + fields + "\n";
    for (char value = 0; value < 24; ++value) text += value;
    return text;
}

std::string metaimage(const std::string& fields, const std::string& data_file = "LOCAL") {
    std::string text =
        "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\n" + fields + "ElementType = MET_UCHAR\nElementDataFile = " + data_file + "\n";
    for (char value = 0; value < 24; ++value) text += value;
    return text;
}

}  // namespace

TEST_CASE("labels and geometry are read back from NRRD and MetaImage") {
    const TemporaryFolder folder;
    for (const Extent extent : {Extent{5, 4, 3}, Extent{1, 1, 1}, Extent{700, 600, 7}}) {
        VolumeInfo like = volume_of(extent);
        like.geometry.affine = oblique;
        const auto labels = counting(extent);
        for (const char* name : {"a.nrrd", "a.mha", "a.mhd"})
            for (const int compress : {0, 1, 6}) {
                CAPTURE(name);
                CAPTURE(compress);
                write_labels({folder / name, ScalarType::u8, &like, compress}, labels);
                const auto reader = open_volume(folder / name, {});
                CHECK(reader->info().extent == extent);
                CHECK((reader->info().compression == "none") == (compress == 0));
                CHECK(same_bytes(read_all(*reader, 7), labels));
                CHECK(same_bytes(read_all(*reader, 1000), labels));
                REQUIRE(reader->info().geometry.affine);
                CHECK(difference(*reader->info().geometry.affine, oblique) < 1e-12);
            }
    }
}

TEST_CASE("wide labels, and a volume without an affine") {
    const TemporaryFolder folder;
    for (const auto& [type, extent] :
         {std::pair{ScalarType::u16, Extent{3, 2, 2}}, {ScalarType::u64, {3, 2, 1}}, {ScalarType::u32, {3, 2, 5}}}) {
        VolumeInfo like = volume_of(extent);
        like.geometry = {.spacing = std::array{0.5, 0.1, 3.0}, .unit = LengthUnit::mm};
        const auto bytes = counting({extent.nx * size_of(type), extent.ny, extent.nz});
        for (const char* name : {"a.nrrd", "a.mha"}) {
            CAPTURE(name);
            write_labels({folder / name, type, &like, 1}, bytes);
            const auto reader = open_volume(folder / name, {});
            CHECK(reader->info().type == type);
            CHECK(reader->info().dimensions == (extent.nz == 1 ? 2 : 3));
            CHECK_FALSE(reader->info().geometry.affine);
            REQUIRE(reader->info().geometry.spacing);
            CHECK((*reader->info().geometry.spacing)[1] == 0.1);
            CHECK(same_bytes(read_all(*reader, 1), bytes));
        }
    }
}

TEST_CASE("a singular or NaN affine is not written, so that ITK can load the file") {
    const TemporaryFolder folder;
    for (const double odd : {std::nan(""), 0.0}) {
        VolumeInfo like = volume_of({2, 2, 2});
        like.geometry.affine = Affine{{{odd, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
        for (const char* name : {"a.nrrd", "a.mha"}) {
            write_labels({folder / name, ScalarType::u8, &like, 0}, counting(like.extent));
            CHECK_FALSE(open_volume(folder / name, {})->info().geometry.affine);
        }
    }
}

TEST_CASE("truncation at any length is detected") {
    const TemporaryFolder folder;
    VolumeInfo like = volume_of({9, 8, 7});
    like.geometry.affine = oblique;
    std::vector<std::string> whole, names;
    for (const char* name : {"cut.nrrd", "cut.mha"})
        for (const int compress : {0, 1}) {
            write_labels({folder / name, ScalarType::u8, &like, compress}, counting(like.extent));
            whole.push_back(content_of(folder / name));
            names.push_back(name);
        }
    for (std::size_t i = 0; i < whole.size(); ++i) {
        put_file(folder / names[i], whole[i]);
        CHECK_FALSE(kind_of_reading(folder / names[i]));
        for (std::size_t size = 0; size < whole[i].size(); size += size + 20 < whole[i].size() ? 3 : 1) {
            CAPTURE(names[i]);
            CAPTURE(size);
            put_file(folder / names[i], whole[i].substr(0, size));
            const auto kind = kind_of_reading(folder / names[i]);
            CHECK((about_content(kind) || kind == ErrorKind::missing_file));  // no_input: the name of the data file is truncated
        }
    }
}

TEST_CASE("a changed byte of a compressed volume is detected") {
    const TemporaryFolder folder;
    const VolumeInfo like = volume_of({40, 30, 20});
    std::vector<std::uint8_t> labels(std::size_t(like.extent.voxels()));
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = std::uint8_t(i * i % 251);
    for (const char* name : {"a.nrrd", "a.mha"}) {
        write_labels({folder / name, ScalarType::u8, &like, 3}, labels);
        std::string content = content_of(folder / name);
        content[content.size() / 2] ^= 4;
        put_file(folder / name, content);
        CHECK(kind_of_reading(folder / name) == ErrorKind::invalid_file);
    }
}

TEST_CASE("wrong headers are refused before memory is allocated") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.nrrd";
    for (const char* sizes : {"4 3 2000000000", "0 3 2", "-4 3 -2", "4 3", "9223372036854775807 9223372036854775807 4", "4 x 2", "4 3 3"}) {
        CAPTURE(sizes);
        put_file(path, nrrd("", sizes));
        CHECK(about_content(kind_of_reading(path)));
    }
    for (const char* field :
         {"byte skip: -5\n", "byte skip: 9000000000000000000\n", "line skip: -1\n", "line skip: 1000000000\n", "encoding: zip\n",
          "type: block\n", "space directions: (1,0,0) (0,1,0)\n", "kinds: RGB-color domain domain\n"}) {
        CAPTURE(field);
        put_file(path, nrrd(field));
        CHECK(about_content(kind_of_reading(path)));
    }
    for (const char* field :
         {"DimSize = 4 3 2000000000\n", "DimSize = 4 3\n", "NDims = 7\n", "HeaderSize = -2\n", "HeaderSize = 9000000000000000000\n",
          "ElementNumberOfChannels = 3\n", "CompressedData = True\nCompressedDataSize = 1000\n", "TransformMatrix = 1 0 0\n",
          "BinaryData = False\nCompressedData = True\n"}) {
        CAPTURE(field);
        put_file(folder / "a.mha", metaimage(field));
        CHECK(about_content(kind_of_reading(folder / "a.mha")));
    }
    put_file(folder / "a.xyz", std::string(1024, 'x'));
    CHECK(kind_of_reading(folder / "a.xyz") == ErrorKind::invalid_file);
}

TEST_CASE("detached voxels: in the folder of the header, or elsewhere with permission") {
    const TemporaryFolder folder;
    const std::string voxels = nrrd("").substr(nrrd("").size() - 24);
    put_file(folder / "v.raw", voxels);
    for (const char* name : {"v.raw", "./v.raw"}) {
        put_file(folder / "a.nhdr", nrrd(std::string("data file: ") + name + "\n"));
        put_file(folder / "a.mhd", metaimage("", name));
        CHECK(voxels_of(folder / "a.nhdr").size() == 24);
        CHECK(voxels_of(folder / "a.mhd").size() == 24);
    }
    std::filesystem::create_directory(folder / "inside");
    put_file(folder / "inside/v.raw", voxels);
    for (const std::string& name : {std::string("/etc/passwd"), std::string("../v.raw"), std::string("inside/v.raw"),
                                    std::string("v%03d.raw 1 2 1"), std::string("LIST")}) {
        CAPTURE(name);
        put_file(folder / "inside/a.nhdr", nrrd("data file: " + name + "\n"));
        put_file(folder / "inside/a.mhd", metaimage("", name));
        CHECK(kind_of_reading(folder / "inside/a.nhdr") == ErrorKind::external_file);
        CHECK(about_content(kind_of_reading(folder / "inside/a.mhd")));
    }
    OpenOptions allowed;
    allowed.external = ExternalFiles::allow;
    put_file(folder / "inside/a.nhdr", nrrd("data file: ../v.raw\n"));
    put_file(folder / "inside/a.mhd", metaimage("", "../v.raw"));
    CHECK(voxels_of(folder / "inside/a.nhdr", allowed).size() == 24);
    CHECK(voxels_of(folder / "inside/a.mhd", allowed).size() == 24);
    put_file(folder / "inside/a.nhdr", nrrd("data file: gone.raw\n"));
    CHECK(kind_of_reading(folder / "inside/a.nhdr") == ErrorKind::missing_file);
}

TEST_CASE("a symbolic link to another folder needs permission for detached voxels") {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "in");
    put_file(folder / "secret.raw", std::string(24, 's'));
    put_file(folder / "in/real.raw", std::string(24, 'r'));
    std::filesystem::create_symlink("../secret.raw", folder / "in/out.raw");
    std::filesystem::create_symlink("real.raw", folder / "in/beside.raw");
    std::filesystem::create_symlink("gone.raw", folder / "in/dangling.raw");
    std::filesystem::create_symlink("loop.raw", folder / "in/loop.raw");
    std::filesystem::create_symlink("in", folder / "link");
    REQUIRE(::mkfifo((folder / "in/pipe.raw").c_str(), 0600) == 0);
    OpenOptions allowed;
    allowed.external = ExternalFiles::allow;
    for (const char* header : {"a.mhd", "a.mha", "a.nhdr", "a.nrrd"}) {
        CAPTURE(header);
        const bool is_meta = std::string(header).starts_with("a.m");
        const auto put_header = [&](const std::string& name) {
            const std::string path = folder / (std::string("in/") + header);
            put_file(path, is_meta ? metaimage("", name) : nrrd("data file: " + name + "\n"));
            return path;
        };
        const std::string refused = put_header("out.raw");
        CHECK(kind_of_reading(refused) == ErrorKind::external_file);
        CHECK(kind_of([&] { describe_volume(refused, {}); }) == ErrorKind::external_file);
        CHECK(message_of([&] { voxels_of(refused); }).find("once symbolic links are resolved") != std::string::npos);
        CHECK(voxels_of(refused, allowed).front() == std::byte{'s'});
        CHECK(voxels_of(put_header("beside.raw")).front() == std::byte{'r'});
        CHECK(kind_of_reading(put_header("dangling.raw")) == ErrorKind::missing_file);
        CHECK(kind_of_reading(put_header("loop.raw")).has_value());
        CHECK(kind_of_reading(put_header("pipe.raw")) == ErrorKind::external_file);
        put_header("real.raw");
        CHECK(voxels_of(folder / (std::string("link/") + header)).front() == std::byte{'r'});  // the folder is a link
        std::filesystem::create_symlink(std::string("in/") + header, folder / header);
        std::filesystem::create_symlink("in/real.raw", folder / "real.raw");
        CHECK(voxels_of(folder / header).front() == std::byte{'r'});  // header and data file are links into the same folder
        std::filesystem::remove(folder / "real.raw");
        put_file(folder / "real.raw", std::string(24, 'x'));
        CHECK(kind_of_reading(folder / header) == ErrorKind::external_file);  // the header is in another folder
        std::filesystem::remove(folder / "real.raw");
    }
}

TEST_CASE("the data file of an input is never overwritten") {
    const TemporaryFolder folder;
    put_file(folder / "a.raw", std::string(24, '\1'));
    put_file(folder / "a.nhdr", nrrd("data file: a.raw\n"));
    CHECK(files_of_volume(folder / "a.nhdr") == std::vector{folder / "a.nhdr", folder / "a.raw"});
    const auto inputs = std::make_shared<FileSet>();
    for (const std::string& file : files_of_volume(folder / "a.nhdr")) inputs->add(file);
    OutputFiles outputs(Overwrite::allow, inputs);
    const VolumeInfo like = volume_of({4, 3, 2});
    CHECK(kind_of([&] { check_label_output(folder / "a.mhd", 0, outputs); }) == ErrorKind::is_input);
    CHECK(kind_of([&] { create_label_volume({folder / "a.mhd", ScalarType::u8, &like, 0}, outputs); }) == ErrorKind::is_input);
    CHECK(kind_of([&] { check_label_output(folder / "a.mhd", 1, outputs); }) == std::nullopt);  // its data is in a.zraw
    CHECK(content_of(folder / "a.raw") == std::string(24, '\1'));
}

TEST_CASE("orientation: every space becomes RAS") {
    const TemporaryFolder folder;
    const std::string placed = "space directions: (2,0,0) (0,3,0) (0,0,4)\nspace origin: (10,20,30)\n";
    const auto affine_of = [&](const std::string& fields) {
        put_file(folder / "a.nrrd", nrrd(fields));
        return open_volume(folder / "a.nrrd", {})->info().geometry.affine.value();
    };
    CHECK(affine_of("space: right-anterior-superior\n" + placed) == Affine{{{2, 0, 0, 10}, {0, 3, 0, 20}, {0, 0, 4, 30}}});
    CHECK(affine_of("space: LPS\n" + placed) == Affine{{{-2, 0, 0, -10}, {0, -3, 0, -20}, {0, 0, 4, 30}}});
    CHECK(affine_of("space: left-anterior-superior\n" + placed) == Affine{{{-2, 0, 0, -10}, {0, 3, 0, 20}, {0, 0, 4, 30}}});
    put_file(folder / "a.mha", metaimage("TransformMatrix = 0 1 0 1 0 0 0 0 1\nOffset = 10 20 30\nElementSpacing = 2 3 4\n"));
    CHECK(open_volume(folder / "a.mha", {})->info().geometry.affine == Affine{{{0, -3, 0, -10}, {-2, 0, 0, -20}, {0, 0, 4, 30}}});
    CHECK(open_volume(folder / "a.mha", {.size = VoxelSize{}})->info().geometry.affine ==
          Affine{{{0, -1, 0, -10}, {-1, 0, 0, -20}, {0, 0, 1, 30}}});
}

TEST_CASE("several volumes: one must be chosen") {
    const TemporaryFolder folder;
    put_file(folder / "a.nrrd",
             "NRRD0004\ntype: uchar\ndimension: 4\nsizes: 2 3 2 2\nencoding: raw\n" + nrrd("").substr(nrrd("").size() - 25));
    CHECK(describe_volume(folder / "a.nrrd", {}).volumes == 2);
    CHECK(kind_of_reading(folder / "a.nrrd") == ErrorKind::several_volumes);
    OpenOptions second;
    second.volume = 1;
    CHECK(voxels_of(folder / "a.nrrd", second).front() == std::byte{12});
    second.volume = 2;
    CHECK(kind_of_reading(folder / "a.nrrd", second) == ErrorKind::no_such_volume);
}

TEST_CASE("voxels written as text") {
    const TemporaryFolder folder;
    const std::string header = "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 2 2\nencoding: ascii\n\n";
    put_file(folder / "a.nrrd", header + "0 1 2 3 4 5 6 7\n");
    CHECK(same_bytes(voxels_of(folder / "a.nrrd"), counting({2, 2, 2})));
    put_file(folder / "a.nrrd", header + "0 1 2 3 4 5 6\n");
    CHECK(kind_of_reading(folder / "a.nrrd") == ErrorKind::wrong_size);
}

TEST_CASE("real files") {
    if (data.empty()) {
        MESSAGE("SKIPPED: real NRRD and MetaImage files; VOXCC_TEST_DATA is not set");
        return;
    }
    const std::string other = data + "/other/";
    const auto above = [&](const std::string& name, double threshold) { return count_above(*open_volume(other + name, {}), threshold); };
    CHECK(above("brain1_image.nrrd", 0) == 1546861);
    CHECK(above("brain1_image.nrrd", 1000) == 138223);
    CHECK(above("brain1_label.nrrd", 0) == 4137);
    CHECK(above("tooth.nhdr", 500) == 425340);
    CHECK(above("four_labels.mha", 0) == 256);
    CHECK(kind_of_reading(data + "/hostile/other/ball_byteskip_minus_five.nhdr") == ErrorKind::invalid_file);
}
