// MRC and CCP4 files: byte orders, types, geometry, stacks, files without "MAP ", wrong and truncated files.
#include "tests/io/binary_files.h"

#include <cmath>
#include <limits>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

/// 3 columns, 2 rows and 2 sections of float32 with the values 0 to 11. Voxels of 2 x 2.5 x 3 angstrom.
Bytes mrc(std::endian order = std::endian::little) {
    Bytes file{std::string(1024, '\0'), order};
    file.put<std::int32_t>(0, {3, 2, 2, 2, 0, 0, 0, 3, 2, 2}).put<float>(40, {6, 5, 6, 90, 90, 90}).put<std::int32_t>(64, {1, 2, 3});
    file.put<std::int32_t>(88, {1}).put<std::int32_t>(108, {20141}).put<std::int32_t>(220, {1});
    file.content.replace(208, 4, "MAP ");
    file.content.replace(212, 2, order == std::endian::little ? "\x44\x44" : "\x11\x11");
    return file.put<float>(1024, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

const std::vector<float> counting{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/// Whether an affine in mm is the given one in angstrom.
bool is_affine(const VolumeInfo& info, const Affine& angstrom) {
    if (!info.geometry.affine) return false;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 4; ++column)
            if (std::abs((*info.geometry.affine)[row][column] - angstrom[row][column]) > 1e-6) return false;
    return true;
}

}  // namespace

TEST_CASE("mrc: byte orders, also with a wrong machine stamp or without one") {
    BinaryFile file("a.mrc");
    for (const std::endian order : {std::endian::little, std::endian::big}) {
        Bytes bytes = mrc(order);
        CHECK(file.put(bytes).values<float>() == counting);
        CHECK(file.info().warnings.empty());
        bytes.content.replace(212, 2, std::string(2, '\0'));
        CHECK(file.put(bytes).values<float>() == counting);
        CHECK(file.info().warnings.empty());
        bytes.content.replace(212, 2, order == std::endian::little ? "\x11\x11" : "\x44\x41");
        CHECK(file.put(bytes).values<float>() == counting);
        CHECK(file.info().warnings.size() == 1);
        // Mode 0 is the same number in both orders, and so is an extent of 1.
        Bytes bytes_of_1 = mrc(order).put<std::int32_t>(0, {256, 1, 1, 0}).put<std::int32_t>(108, {0});
        bytes_of_1.content.resize(1024 + 256, '\7');
        CHECK(file.put(bytes_of_1).info().extent == Extent{256, 1, 1});
        bytes_of_1.content.replace(212, 2, std::string(2, '\0'));
        CHECK(file.put(bytes_of_1).info().extent == Extent{256, 1, 1});
    }
}

TEST_CASE("mrc: types") {
    BinaryFile file("a.map");
    const auto with_mode = [](std::int32_t mode) {
        Bytes bytes = mrc().put<std::int32_t>(12, {mode});
        bytes.content.resize(1024);
        return bytes;
    };
    const auto put_bytes = [&](std::int32_t version, std::optional<std::int32_t> flags) {
        Bytes bytes = with_mode(0).put<std::int32_t>(108, {version});
        if (flags) bytes.put<std::int32_t>(152, {1146047817, *flags});
        bytes.content.resize(1024 + 12, '\xff');
        file.put(bytes);
    };
    put_bytes(20141, {});
    CHECK(file.info().type == ScalarType::i8);
    CHECK(file.values<std::int8_t>().front() == -1);
    put_bytes(0, {});
    CHECK(file.info().type == ScalarType::u8);
    put_bytes(20140, 0);
    CHECK(file.info().type == ScalarType::u8);
    put_bytes(0, 1);
    CHECK(file.info().type == ScalarType::i8);
    put_bytes(0, 16);
    CHECK(file.fault() == ErrorKind::unsupported_file);
    file.put(with_mode(1).put<std::int16_t>(1024, {-1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    CHECK(file.values<std::int16_t>().front() == -1);
    file.put(with_mode(6).put<std::uint16_t>(1024, {65535, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    CHECK(file.values<std::uint16_t>().front() == 65535);
    file.put(with_mode(12).put<std::uint16_t>(1024, {0x3c00, 0xc000, 0x7bff, 1, 0x7c00, 0, 0, 0, 0, 0, 0, 0x3555}));
    CHECK(file.info().stored_type == "float16");
    const std::vector<float> halves = file.values<float>();
    CHECK(std::vector(halves.begin(), halves.begin() + 5) ==
          std::vector<float>{1, -2, 65504, 0x1p-24f, std::numeric_limits<float>::infinity()});
    CHECK(halves.back() == 0.333251953125f);
    for (const std::int32_t mode : {3, 4, 16}) CHECK(file.put(with_mode(mode)).fault() == ErrorKind::several_values);
    CHECK(file.put(with_mode(101)).fault() == ErrorKind::unsupported_file);
    for (const std::int32_t mode : {-1, 5, 7, 102}) CHECK(file.put(with_mode(mode)).fault() == ErrorKind::invalid_file);
}

TEST_CASE("mrc: the position is ORIGIN, or the start indices") {
    BinaryFile file("a.mrc");
    CHECK(file.put(mrc()).info().geometry.unit == LengthUnit::angstrom);
    CHECK(is_affine(file.info(), {{{2, 0, 0, 0}, {0, 2.5, 0, 0}, {0, 0, 3, 0}}}));
    file.put(mrc().put<std::int32_t>(16, {5, -8, 40}));
    CHECK(is_affine(file.info(), {{{2, 0, 0, 10}, {0, 2.5, 0, -20}, {0, 0, 3, 120}}}));
    Bytes placed = mrc().put<std::int32_t>(16, {5, 8, 40}).put<float>(196, {1, -2, 3});
    CHECK(is_affine(file.put(placed).info(), {{{2, 0, 0, 1}, {0, 2.5, 0, -2}, {0, 0, 3, 3}}}));
    // Old versions of IMOD store ORIGIN with the other sign, unless a flag is set.
    placed.put<std::int32_t>(152, {1146047817, 0});
    CHECK(is_affine(file.put(placed).info(), {{{2, 0, 0, 1}, {0, 2.5, 0, -2}, {0, 0, 3, 3}}}));
    placed.put<std::int32_t>(108, {0});
    CHECK(is_affine(file.put(placed).info(), {{{2, 0, 0, -1}, {0, 2.5, 0, 2}, {0, 0, 3, -3}}}));
    placed.put<std::int32_t>(156, {4});
    CHECK(is_affine(file.put(placed).info(), {{{2, 0, 0, 1}, {0, 2.5, 0, -2}, {0, 0, 3, 3}}}));
}

TEST_CASE("mrc: the axes of the cell in any order") {
    BinaryFile file("a.ccp4");
    file.put(mrc().put<std::int32_t>(64, {3, 2, 1}).put<std::int32_t>(16, {1, 2, 3}));
    CHECK(is_affine(file.info(), {{{0, 0, 2, 6}, {0, 2.5, 0, 5}, {3, 0, 0, 3}}}));
    CHECK((*file.info().geometry.spacing)[0] == doctest::Approx(3));
    file.put(mrc().put<std::int32_t>(64, {2, 3, 1}).put<float>(196, {7, 8, 9}));
    CHECK(is_affine(file.info(), {{{0, 0, 2, 7}, {2.5, 0, 0, 8}, {0, 3, 0, 9}}}));
    CHECK(is_affine(file.put(mrc().put<std::int32_t>(64, {0, 0, 0})).info(), {{{2, 0, 0, 0}, {0, 2.5, 0, 0}, {0, 0, 3, 0}}}));
    CHECK(file.put(mrc().put<std::int32_t>(64, {1, 1, 3})).fault() == ErrorKind::invalid_file);
    CHECK(file.put(mrc().put<std::int32_t>(64, {1, -2, 3})).fault() == ErrorKind::invalid_file);
}

TEST_CASE("mrc: a cell with other angles is sheared") {
    BinaryFile file("a.mrc");
    const double half_root_3 = std::sqrt(3.0) / 2;
    file.put(mrc().put<float>(52, {90, 90, 120}).put<std::int32_t>(16, {0, 2, 0}));
    CHECK(is_affine(file.info(), {{{2, -1.25, 0, -2.5}, {0, 2.5 * half_root_3, 0, 5 * half_root_3}, {0, 0, 3, 0}}}));
    CHECK((*file.info().geometry.spacing)[1] == doctest::Approx(2.5));
    file.put(mrc().put<float>(52, {90, 60, 90}));
    CHECK(is_affine(file.info(), {{{2, 0, 1.5, 0}, {0, 2.5, 0, 0}, {0, 0, 3 * half_root_3, 0}}}));
    CHECK(is_affine(file.put(mrc().put<float>(52, {0, 0, 0})).info(), {{{2, 0, 0, 0}, {0, 2.5, 0, 0}, {0, 0, 3, 0}}}));
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::initializer_list<float>& angles :
         {std::initializer_list<float>{10, 10, 170}, {90, 90, 180}, {90, 0, 90}, {nan, 90, 90}}) {
        file.put(mrc().put<float>(52, angles));
        CHECK_FALSE(file.info().geometry.affine);
        CHECK_FALSE(file.info().geometry.spacing);
        CHECK(file.info().warnings.size() == 1);
        CHECK(file.values<float>() == counting);
    }
}

TEST_CASE("mrc: a file without a cell has no voxel size") {
    BinaryFile file("a.mrc");
    for (const Bytes& bytes :
         {mrc().put<float>(40, {0, 0, 0}), mrc().put<float>(40, {0, 0, 0, 0, 0, 0}).put<std::int32_t>(28, {0, 0, 0})}) {
        CHECK_FALSE(file.put(bytes).info().geometry.spacing);
        CHECK(file.info().warnings.empty());
    }
    for (const Bytes& bytes :
         {mrc().put<float>(40, {6, -5, 6}), mrc().put<std::int32_t>(28, {3, 0, 2}), mrc().put<float>(44, {INFINITY})}) {
        CHECK_FALSE(file.put(bytes).info().geometry.spacing);
        CHECK(file.info().warnings.size() == 1);
    }
    Bytes image = mrc().put<std::int32_t>(8, {1}).put<float>(48, {0});
    image.content.resize(1024 + 24);
    CHECK(file.put(image).info().dimensions == 2);
    CHECK(is_affine(file.info(), {{{2, 0, 0, 0}, {0, 2.5, 0, 0}, {0, 0, 1, 0}}}));
}

TEST_CASE("mrc: stacks of volumes, and stacks of images") {
    BinaryFile file("a.mrc");
    file.put(mrc().put<std::int32_t>(36, {1}).put<std::int32_t>(88, {401}));
    CHECK(file.info().volumes == 2);
    CHECK(file.info().extent == Extent{3, 2, 1});
    CHECK(file.values<float>(1) == std::vector<float>{6, 7, 8, 9, 10, 11});
    CHECK(kind_of([&] { file.open(); }) == ErrorKind::several_volumes);
    CHECK(kind_of([&] { file.open(2); }) == ErrorKind::no_such_volume);
    for (const std::int32_t sections : {0, -1, 3})
        CHECK(file.put(mrc().put<std::int32_t>(36, {sections}).put<std::int32_t>(88, {401})).fault() == ErrorKind::invalid_file);
    CHECK(file.put(mrc().put<std::int32_t>(64, {3, 2, 1}).put<std::int32_t>(88, {401})).fault() == ErrorKind::unsupported_file);
    file.put(mrc().put<std::int32_t>(36, {1}).put<std::int32_t>(88, {0}));
    CHECK(file.info().extent == Extent{3, 2, 2});
    CHECK(std::isnan((*file.info().geometry.spacing)[2]));
    CHECK(file.info().warnings.size() == 1);
    CHECK(is_affine(file.put(mrc().put<std::int32_t>(88, {0})).info(), {{{2, 0, 0, 0}, {0, 2.5, 0, 0}, {0, 0, 3, 0}}}));
}

TEST_CASE("mrc: extended headers, lengths and compression") {
    BinaryFile file("a.mrc"), packed("a.map.gz");
    Bytes extended = mrc().put<std::int32_t>(92, {80});
    extended.content.insert(1024, std::string(80, 'x'));
    CHECK(file.put(extended).values<float>() == counting);
    CHECK(packed.put({zlib_member(extended.content)}).values<float>() == counting);
    CHECK(packed.info().compression == "gzip");
    for (const std::int32_t bytes : {-1, 81, 2147483647})
        CHECK(about_content(file.put(Bytes(extended).put<std::int32_t>(92, {bytes})).fault()));
    extended.content += "more";
    CHECK(file.put(extended).info().warnings.size() == 1);
    for (const std::initializer_list<std::int32_t>& extents :
         {std::initializer_list<std::int32_t>{3, 2, 3}, {0, 2, 2}, {-3, -2, 2}, {2147483647, 2147483647, 2147483647}})
        CHECK(about_content(file.put(mrc().put<std::int32_t>(0, extents)).fault()));
}

TEST_CASE("mrc: files without 'MAP ' need a name and fields of MRC") {
    Bytes old = mrc();
    old.content.replace(208, 8, std::string(8, '\0'));
    for (const char* name : {"a.mrc", "a.map", "a.ccp4", "a.st", "a.rec", "a.ali"})
        CHECK(BinaryFile(name).put(old).values<float>() == counting);
    CHECK(BinaryFile("a.xyz").put(old).fault() == ErrorKind::invalid_file);
    CHECK(BinaryFile("a.xyz").put(mrc()).values<float>() == counting);
    CHECK(BinaryFile("a.rec.gz").put({zlib_member(old.content)}).values<float>() == counting);
    Bytes text{"# a file of text that is not MRC\n" + std::string(2000, 'x')};
    for (const char* name : {"a.mrc", "a.map", "a.rec"}) CHECK(about_content(BinaryFile(name).put(text).fault()));
    CHECK(BinaryFile("a.rec").put({std::string(4096, '\0')}).fault() == ErrorKind::unsupported_file);  // pixels of a Philips PAR/REC image
    for (const auto& [offset, number] : {std::pair<std::size_t, std::int32_t>{220, 11}, {220, -1}, {12, 9}, {8, 3}})
        CHECK(about_content(BinaryFile("a.rec").put(Bytes(old).put<std::int32_t>(offset, {number})).fault()));
    CHECK(about_content(BinaryFile("a.rec").put(Bytes(old).put<float>(40, {-1})).fault()));
    CHECK(about_content(BinaryFile("a.rec").put(Bytes(old).put<float>(52, {200})).fault()));
}

TEST_CASE("mrc: truncation at any length is detected") { check_truncation("a.mrc", mrc()); }
