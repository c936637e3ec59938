// GIPL files: values, geometry, volumes, wrong and truncated files.
#include "tests/io/binary_files.h"

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

/// 3 x 2 x 2 voxels of int16 with the values 0 to 11, of 0.5 x 0.75 x 2 mm.
Bytes gipl() {
    Bytes file{std::string(256, '\0'), std::endian::big};
    file.put<std::uint16_t>(0, {3, 2, 2, 1, 15}).put<float>(10, {0.5, 0.75, 2, 0}).put<double>(204, {1, 2, 3, 0});
    file.put<std::uint32_t>(252, {719555000});
    return file.put<std::int16_t>(256, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

}  // namespace

TEST_CASE("gipl: values, geometry, types and volumes") {
    BinaryFile file("a.gipl");
    CHECK(file.put(gipl()).values<std::int16_t>() == std::vector<std::int16_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(file.info().geometry.affine == Affine{{{-0.5, 0, 0, -1}, {0, -0.75, 0, -2}, {0, 0, 2, 3}}});
    CHECK(file.info().geometry.unit == LengthUnit::mm);
    CHECK_FALSE(file.put(gipl().put<float>(14, {0})).info().geometry.spacing);
    CHECK(file.put(gipl().put<std::uint32_t>(252, {4026526128})).values<std::int16_t>().back() == 11);
    for (const std::uint32_t magic : {0u, 719555001u})
        CHECK(file.put(gipl().put<std::uint32_t>(252, {magic})).fault() == ErrorKind::invalid_file);
    Bytes shifted = gipl();
    shifted.content.insert(100, "abc");
    CHECK(file.put(shifted).fault() == ErrorKind::invalid_file);
    for (const std::uint16_t type : {0, 1, 9, 144, 200})
        CHECK(file.put(gipl().put<std::uint16_t>(8, {type})).fault() == ErrorKind::unsupported_file);
    for (const std::uint16_t type : {31, 32, 64, 65})
        CHECK(file.put(gipl().put<std::uint16_t>(8, {type})).fault() == ErrorKind::wrong_size);
    CHECK(file.put(gipl().put<std::uint16_t>(4, {1, 2})).values<std::int16_t>(1).front() == 6);
    CHECK(file.info().volumes == 2);
    Bytes image = gipl().put<std::uint16_t>(4, {0, 0});
    image.content.resize(256 + 12);
    CHECK(file.put(image).info().dimensions == 2);
    for (const std::size_t axis : {0, 2}) CHECK(about_content(file.put(gipl().put<std::uint16_t>(axis, {0})).fault()));
    CHECK(file.put({gipl().content + "1234"}).info().warnings == std::vector<std::string>{"4 bytes after the voxels are ignored"});
}

TEST_CASE("gipl: truncation at any length is detected") { check_truncation("a.gipl", gipl()); }
