// NumPy files: headers, types, orders, and label volumes.
#include "io/formats/npy/npy_header.h"

#include "tests/io/files.h"
#include "tests/io/label_files.h"

#include <bit>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;
using namespace std::string_literals;

namespace {

// A file of version 1.0, or of a later one with a header length of 4 bytes.
std::string npy(const std::string& dictionary, const std::string& voxels, char version = 1) {
    const std::size_t length = dictionary.size();
    std::string file = "\x93NUMPY"s + version + '\0' + char(length & 0xff) + char(length >> 8);
    if (version > 1) file += char(length >> 16) + "\0"s;
    return file + dictionary + voxels;
}

std::string dictionary(const std::string& descr, const std::string& order, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

std::string counting(std::size_t count) {
    std::string bytes(count, '\0');
    for (std::size_t i = 0; i < count; ++i) bytes[i] = char(i);
    return bytes;
}

struct Folder : TemporaryFolder {
    std::string put(const std::string& content) const {
        put_file(*this / "a.npy", content);
        return *this / "a.npy";
    }
    std::optional<ErrorKind> kind(const std::string& content) const {
        const std::string file = put(content);
        const auto described = kind_of([&] { describe_volume(file); });
        CHECK(described == kind_of([&] { open_volume(file); }));
        return described;
    }
    VolumeInfo describe(const std::string& descr, const std::string& order, const std::string& shape) const {
        return describe_volume(put(npy(dictionary(descr, order, shape), std::string(4096, '\0'))));
    }
};

template <class T>
std::vector<T> values_of(const std::string& path, const OpenOptions& options = {}) {
    const auto bytes = read_all(*open_volume(path, options), 2);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

ArrayAxes axes_of(const VolumeInfo& info) { return std::get<NumpyDetails>(info.details).array; }

}  // namespace

TEST_CASE("npy: the fastest axis is x in both orders") {
    const Folder folder;
    const VolumeInfo c = folder.describe("|u1", "False", "(2, 3, 4)"), fortran = folder.describe("|u1", "True", "(2, 3, 4)");
    CHECK(c.extent == Extent{4, 3, 2});
    CHECK(fortran.extent == Extent{2, 3, 4});
    CHECK(axes_of(c) == ArrayAxes{ArrayOrder::c, 3});
    CHECK(axes_of(fortran) == ArrayAxes{ArrayOrder::fortran, 3});
    CHECK(c.format == "NumPy");
    CHECK_FALSE(c.geometry.affine);
    CHECK_FALSE(c.geometry.spacing);
    for (const char* order : {"False", "True"}) {
        const std::string path = folder.put(npy(dictionary("|u1", order, "(2, 3, 4)"), counting(24)));
        CHECK(same_bytes(read_all(*open_volume(path), 1), std::span(reinterpret_cast<const std::uint8_t*>(counting(24).data()), 24)));
    }
}

TEST_CASE("npy: one to three axes are one volume, further axes count volumes") {
    const Folder folder;
    for (const char* order : {"False", "True"}) {
        const VolumeInfo one = folder.describe("|u1", order, "(7,)");
        CHECK(one.extent == Extent{7, 1, 1});
        CHECK(one.dimensions == 2);
        CHECK(axes_of(one).count == 1);
    }
    CHECK(folder.describe("|u1", "False", "(2, 7)").extent == Extent{7, 2, 1});
    CHECK(folder.describe("|u1", "True", "(2, 7)").extent == Extent{2, 7, 1});
    const VolumeInfo c = folder.describe("|u1", "False", "(2, 3, 4, 5, 6)"), fortran = folder.describe("|u1", "True", "(2, 3, 4, 5, 6)");
    CHECK(c.extent == Extent{6, 5, 4});
    CHECK(c.volumes == 6);
    CHECK(fortran.extent == Extent{2, 3, 4});
    CHECK(fortran.volumes == 30);
    CHECK(axes_of(fortran).count == 3);
    const std::string path = folder.put(npy(dictionary("|u1", "False", "(3, 1, 1, 2)"), counting(6)));
    CHECK(choices_of([&] { open_volume(path); }) == "0..2");
    CHECK(kind_of([&] { open_volume(path); }) == ErrorKind::several_volumes);
    CHECK(values_of<std::uint8_t>(path, {.volume = 2}) == std::vector<std::uint8_t>{4, 5});
    CHECK(kind_of([&] { open_volume(path, {.volume = 3}); }) == ErrorKind::no_such_volume);
}

TEST_CASE("npy: types and byte orders") {
    const Folder folder;
    using enum ScalarType;
    for (const auto& [code, name, type] : {std::tuple{"b1", "bool", u8},
                                           {"u1", "uint8", u8},
                                           {"i1", "int8", i8},
                                           {"u2", "uint16", u16},
                                           {"i2", "int16", i16},
                                           {"u4", "uint32", u32},
                                           {"i4", "int32", i32},
                                           {"u8", "uint64", u64},
                                           {"i8", "int64", i64},
                                           {"f2", "float16", f32},
                                           {"f4", "float32", f32},
                                           {"f8", "float64", f64}})
        for (const char* order : {"<", ">", "=", "|", ""}) {
            const std::string descr = std::string(order) + code;
            CAPTURE(descr);
            const VolumeInfo info = folder.describe(descr, "True", "(5, 4, 3)");
            CHECK(info.type == type);
            CHECK(info.stored_type == name);
        }
    const auto two = [&](const char* descr, const std::string& voxels) {
        return folder.put(npy(dictionary(descr, "False", "(1, 2)"), voxels));
    };
    CHECK(values_of<std::int16_t>(two("<i2", "\1\2\xff\xff"s)) == std::vector<std::int16_t>{0x201, -1});
    CHECK(values_of<std::int16_t>(two(">i2", "\1\2\xff\xff"s)) == std::vector<std::int16_t>{0x102, -1});
    CHECK(values_of<std::uint32_t>(two(">u4", "\0\0\1\2\0\0\0\7"s)) == std::vector<std::uint32_t>{0x102, 7});
    CHECK(values_of<double>(two(">f8", "\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0"s)) == std::vector<double>{1, -2});
    CHECK(values_of<float>(two("<f2", "\0\x3e\1\0"s)) == std::vector<float>{1.5f, 0x1p-24f});
    CHECK(values_of<float>(two(">f2", "\xbe\0\x7c\0"s)) == std::vector<float>{-1.5f, std::numeric_limits<float>::infinity()});
}

TEST_CASE("npy: types that are not read") {
    const Folder folder;
    const auto kind = [&](const std::string& descr) { return folder.kind(npy(dictionary(descr, "False", "(2, 3)"), counting(256))); };
    for (const char* descr : {"<c8", ">c16"}) CHECK(kind(descr) == ErrorKind::several_values);
    for (const char* descr :
         {"|O", "|O8", "|S5", "<U3", "|V4", "<M8[ns]", "<m8", "<f16", "<f1", "<i3", "<u16", "", "<", "<<u2", " <u2", "<u2 ", "u"})
        CHECK(kind(descr) == ErrorKind::unsupported_file);
    for (const char* descr : {"[('r', '|u1'), ('g', '|u1')]", "('<f4', (3,))"})
        CHECK(folder.kind(npy("{'descr': "s + descr + ", 'fortran_order': False, 'shape': (2,), }\n", counting(64))) ==
              ErrorKind::several_values);
}

TEST_CASE("npy: spellings of the dictionary that NumPy reads") {
    const Folder folder;
    for (const std::string text :
         {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }\n", "{'shape':(2,3,4),'fortran_order':False,'descr':'|u1'}",
          "{\"descr\": \"|u1\", \"fortran_order\": False, \"shape\": (2, 3, 4)}",
          "  { 'descr' :\t'|u1' ,\n'fortran_order' : False ,\r\n'shape' : ( 2 , 3 , 4 , ) , }  \n",
          "{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 3L, 4L), }\n"})
        for (const char version : {1, 2, 3}) {
            CAPTURE(text);
            const std::string path = folder.put(npy(text, counting(24), version));
            if (version == 3 && text.find('L') != text.npos) {  // only Python 2 wrote this, before version 3
                CHECK(about_content(kind_of([&] { open_volume(path); })));
                continue;
            }
            CHECK(describe_volume(path).extent == Extent{4, 3, 2});
            CHECK(values_of<std::uint8_t>(path).back() == 23);
        }
}

TEST_CASE("npy: headers that are not a dictionary of an array") {
    const Folder folder;
    const std::string intact = dictionary("|u1", "False", "(2, 3, 4)");
    const auto with = [&](const std::string& old, const std::string& text) {
        std::string changed = intact;
        return changed.replace(changed.find(old), old.size(), text);
    };
    for (const std::string& text : {""s,
                                    "\n"s,
                                    "{}"s,
                                    "[]"s,
                                    "None"s,
                                    "{"s,
                                    intact.substr(0, intact.size() - 3),
                                    intact + "}",
                                    intact + "\0"s,
                                    "\0"s + intact,
                                    "x" + intact,
                                    with("'shape'", "'shapes'"),
                                    with("'descr'", "'Descr'"),
                                    with("'|u1'", "'|u1"),
                                    with("'|u1'", "|u1"),
                                    with("'|u1'", "b'|u1'"),
                                    with("|u1", "|u1\\n"),
                                    with("'|u1'", "None"),
                                    with("'descr'", "'fortran_order'"),
                                    with("'|u1', ", "'|u1' "),
                                    with("'|u1', ", "'|u1', 'shape': (2, 3, 4), "),
                                    with("'|u1', ", "'|u1', 'extra': 1, "),
                                    with("': ", "' "),
                                    with("False", "false"),
                                    with("False", "0"),
                                    with("False", "Falsehood"),
                                    with("False", "None"),
                                    with("(2, 3, 4)", "[2, 3, 4]"),
                                    with("(2, 3, 4)", "24"),
                                    with("(2, 3, 4)", "(24)"),
                                    with("(2, 3, 4)", "(2 3 4)"),
                                    with("(2, 3, 4)", "(2,, 3)"),
                                    with("(2, 3, 4)", "(,)"),
                                    with("(2, 3, 4)", "(2.0, 3, 4)"),
                                    with("(2, 3, 4)", "(0x2, 3, 4)"),
                                    with("(2, 3, 4)", "(02, 3, 4)"),
                                    with("(2, 3, 4)", "(True, 3)"),
                                    with("(2, 3, 4)", "(2, 3, 4"),
                                    with("(2, 3, 4)", "(2, (3, 4))"),
                                    with("(2, 3, 4)", "(9223372036854775808, 1, 1)"),
                                    with("(2, 3, 4)", "(1+1, 3, 4)"),
                                    "#" + intact,
                                    intact + "import os\n",
                                    "__import__('os').system('false')"s}) {
        CAPTURE(text);
        CHECK(folder.kind(npy(text, counting(24))) == ErrorKind::invalid_file);
    }
    CHECK(folder.kind(npy(intact, counting(24))) == std::nullopt);
}

TEST_CASE("npy: shapes without voxels or with too many") {
    const Folder folder;
    for (const char* shape : {"(0, 3, 4)", "(3, 0)", "(-1, 3, 4)", "(-2, -3, 4)", "(3, -0, 4)", "(-1, -1, 2, 3, 4)", "(0, 2, 3, 4)",
                              "(4294967296, 4294967296, 4)", "(9223372036854775807, 2, 3, 4)", "(3037000500, 3037000500, 2, 3, 4)"})
        for (const char* order : {"False", "True"}) {
            CAPTURE(shape);
            CHECK(folder.kind(npy(dictionary("|u1", order, shape), counting(24))) == ErrorKind::invalid_extent);
        }
    CHECK(folder.kind(npy(dictionary("|u1", "False", "()"), counting(1))) == ErrorKind::unsupported_file);
    CHECK(folder.kind(npy(dictionary("<f8", "False", "(1024, 1024, 1024)"), counting(8))) == ErrorKind::wrong_size);
}

TEST_CASE("npy: truncated files, other versions and bytes after the voxels") {
    const Folder folder;
    for (const char version : {1, 2, 3}) {
        const std::string intact = npy(dictionary("<u2", "False", "(2, 3, 4)"), counting(48), version);
        for (std::size_t length = 0; length < intact.size(); ++length) {
            CAPTURE(length);
            CHECK(about_content(folder.kind(intact.substr(0, length))));
        }
        CHECK(describe_volume(folder.put(intact)).warnings.empty());
        CHECK(describe_volume(folder.put(intact + "xyz")).warnings == std::vector{"3 bytes after the voxels are ignored"s});
    }
    for (const auto& [major, minor] : {std::pair{0, 0}, {1, 1}, {4, 0}, {255, 255}}) {
        std::string file = npy(dictionary("|u1", "False", "(2, 3, 4)"), counting(24));
        file[6] = char(major), file[7] = char(minor);
        CHECK(folder.kind(file) == ErrorKind::unsupported_file);
    }
    // A header of 4 GiB is refused before memory for it is allocated.
    CHECK(folder.kind("\x93NUMPY\2\0\xff\xff\xff\xff{"s) == ErrorKind::unsupported_file);
    CHECK(folder.kind(npy(std::string(65537, ' '), "", 2)) == ErrorKind::unsupported_file);
    CHECK(folder.kind(npy(dictionary("|u1", "False", "(2,)") + std::string(65000, ' '), "ab", 2)) == std::nullopt);
}

TEST_CASE("npy: the content decides, and ITK is not used") {
    const Folder folder;
    const std::string intact = npy(dictionary("|u1", "False", "(2, 3, 400)"), std::string(2400, '\1'));
    put_file(folder / "a.nii", intact);
    CHECK(describe_volume(folder / "a.nii").format == "NumPy");
    std::string spoofed = intact;
    spoofed.replace(344, 4, "n+1\0"s);
    CHECK(describe_volume(folder.put(spoofed)).format == "NumPy");
    CHECK(folder.kind("NUMPY") == ErrorKind::invalid_file);
    CHECK(message_of([&] { open_volume(folder.put("")); }).find("the file is empty") != std::string::npos);
    const std::string path = folder.put(intact);
    CHECK(kind_of([&] { open_volume(path, {.reader = ReaderChoice::itk}); }) == ErrorKind::unsupported_by_reader);
    CHECK(open_volume(path, {.reader = ReaderChoice::voxcc})->info().extent == Extent{400, 3, 2});
    CHECK(describe_volume(path, {.size = VoxelSize{{1, 2, 3}}}).geometry.spacing == std::array{1.0, 2.0, 3.0});
    CHECK(files_of_volume(path) == std::vector{path});
}

TEST_CASE("npy: label volumes have the shape and order of a NumPy input, else array[i, j, k]") {
    const Folder folder;
    const bool is_little = std::endian::native == std::endian::little;
    const auto header_for = [&](const VolumeInfo& like, ScalarType type) {
        const std::vector<std::uint8_t> labels(std::size_t(like.extent.voxels() * size_of(type)), 1);
        write_labels({folder / "out.npy", type, &like, 1}, labels);
        const std::string content = content_of(folder / "out.npy");
        CHECK(content.size() % 64 == labels.size() % 64);
        CHECK(content[content.size() - labels.size() - 1] == '\n');
        const NpyHeader header = read_npy_header(InputFile(folder / "out.npy"));
        CHECK(header.end == std::int64_t(content.size() - labels.size()));
        CHECK(header.descr.substr(1) == "u" + std::to_string(size_of(type)));
        CHECK(header.descr[0] == (type == ScalarType::u8 ? '|' : is_little ? '<' : '>'));
        return header;
    };
    for (const ScalarType type : {ScalarType::u8, ScalarType::u16, ScalarType::u32, ScalarType::u64})
        for (const char* order : {"False", "True"})
            for (const char* shape : {"(7,)", "(6, 7)", "(5, 6, 7)", "(1, 6, 7)", "(5, 6, 1)", "(1, 1, 1)"}) {
                CAPTURE(shape);
                const VolumeInfo like = folder.describe("|u1", order, shape);
                const NpyHeader input = read_npy_header(InputFile(folder / "a.npy")), output = header_for(like, type);
                CHECK(output.shape == input.shape);
                CHECK(output.order == input.order);
            }
    VolumeInfo like = volume_of({7, 6, 5});
    CHECK(header_for(like, ScalarType::u8).order == ArrayOrder::fortran);
    CHECK(header_for(like, ScalarType::u8).shape == std::vector<std::int64_t>{7, 6, 5});
    like.extent.nz = 1;
    CHECK(header_for(like, ScalarType::u8).shape == std::vector<std::int64_t>{7, 6});
    like.geometry.affine = Affine{{{0, -2, 0, 5}, {3, 0, 0, 6}, {0, 0, 4, 7}}};
    CHECK(header_for(like, ScalarType::u8).shape == std::vector<std::int64_t>{7, 6, 1});
    const VolumeInfo of_4d = folder.describe("|u1", "False", "(2, 5, 6, 7)");
    CHECK(header_for(of_4d, ScalarType::u8).shape == std::vector<std::int64_t>{5, 6, 7});
}

TEST_CASE("npy: the header is the one that numpy.save() writes") {
    // numpy.save(file, numpy.zeros((3, 4, 5), "uint16", order="F")), NumPy 1.26
    const std::string expected = "\x93NUMPY\1\0v\0{'descr': '<u2', 'fortran_order': True, 'shape': (3, 4, 5), }"s;
    const std::array<std::int64_t, 3> axes{3, 4, 5};
    if (std::endian::native == std::endian::little)
        CHECK(npy_header_text(ScalarType::u16, ArrayOrder::fortran, axes) == expected + std::string(127 - expected.size(), ' ') + "\n");
    CHECK(npy_header_text(ScalarType::u8, ArrayOrder::c, axes).find("'|u1', 'fortran_order': False, 'shape': (5, 4, 3), }") !=
          std::string::npos);
    CHECK(npy_header_text(ScalarType::u8, ArrayOrder::c, std::span(axes).first(1)).find("'shape': (3,), }") != std::string::npos);
}
