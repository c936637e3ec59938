// Legacy VTK files: arrays and their places in the file, wrong and truncated files, the choice of an array.
#include "io/io.h"
#include "tests/io/files.h"
#include "tests/io/label_files.h"

#include <cmath>
#include <limits>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

/// Writes the files of a test, and reads them.
class VtkFile {
public:
    VtkFile& put(const std::string& content) {
        put_file(path(), content);
        return *this;
    }
    std::string path() const { return folder_ / "a.vtk"; }
    std::unique_ptr<VolumeReader> open(const OpenOptions& options = {}) const { return open_volume(path(), options); }
    template <class T = std::uint8_t>
    std::vector<T> values(const OpenOptions& options = {}) const {
        const auto bytes = read_all(*open(options), 3);
        std::vector<T> values(bytes.size() / sizeof(T));
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    std::optional<ErrorKind> fault(const OpenOptions& options = {}) const {
        return kind_of([&] { values(options); });
    }
    std::string message() const {
        return message_of([&] { values(); });
    }

private:
    TemporaryFolder folder_;
};

const std::string grid = "DATASET STRUCTURED_POINTS\nDIMENSIONS 3 2 2\nSPACING 1 2 3\nORIGIN 10 20 30\n";
std::string head(const std::string& encoding, const std::string& title = "title") {
    return "# vtk DataFile Version 3.0\n" + title + "\n" + encoding + "\n";
}
std::string text(const std::string& after_grid) { return head("ASCII") + grid + after_grid; }
std::string binary(const std::string& after_grid) { return head("BINARY") + grid + after_grid; }

const std::string twelve = "0 1 2 3 4 5 6 7 8 9 10 11\n", scalars = "SCALARS s unsigned_char\nLOOKUP_TABLE default\n";
const std::string twelve_bytes("\0\1\2\3\4\5\6\7\10\11\12\13", 12), two_bytes = "\1\2";
const std::vector<std::uint8_t> counting{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

OpenOptions named(const std::string& dataset) { return {.dataset = dataset}; }

}  // namespace

TEST_CASE("vtk: the places of the scalars") {
    VtkFile file;
    const std::string points = "POINT_DATA 12\n" + scalars, cells = "CELL_DATA 2\n" + scalars;
    for (const std::string& content :
         {text(points + twelve), binary(points + twelve_bytes), binary(points + twelve_bytes + "\n"),
          text(cells + "1 2\n" + points + twelve), text(points + twelve + cells + "1 2\n"),
          binary(cells + two_bytes + "\n" + points + twelve_bytes + "\n"), text("POINT_DATA 12\nSCALARS s unsigned_char 1\n" + twelve),
          binary("POINT_DATA 12\nSCALARS s unsigned_char\n" + twelve_bytes),
          binary("POINT_DATA 12\nSCALARS s unsigned_char 1\r\nlookup_table default\r\n" + twelve_bytes),
          text("FIELD FieldData 2\nTIME 1 1 double\n1.5\nnames 1 2 string\na b\n\nPOINT_DATA 12\n" + scalars + twelve),
          binary("FIELD FieldData 2\nTIME 1 1 double\n????????\nnames 1 2 string\n\xc3 \n!\xc0\nPOINT_DATA 12\n" + scalars + twelve_bytes),
          text("POINT_DATA 12\nVECTORS v float\n" + twelve + twelve + twelve + "METADATA\nCOMPONENT_NAMES\nx\n\n\n\n" + scalars + twelve),
          binary("POINT_DATA 12\nLOOKUP_TABLE t 2\nabcdefgh\n" + scalars + twelve_bytes + "\nGLOBAL_IDS g vtkIdType\n" +
                 std::string(48, 'x')),
          text(points + twelve + "METADATA\nINFORMATION 2\nNAME a LOCATION b\nDATA 2\nfirst\nsecond\nNAME c LOCATION b\nDATA 5\n\n"),
          text("POINT_DATA 12\nFIELD f 2\nNULL_ARRAY\ns 1 12 unsigned_char\n" + twelve),
          text("POINT_DATA 12\nTENSORS6 t int\n" + twelve + twelve + twelve + twelve + twelve + twelve + scalars + twelve)}) {
        CAPTURE(content);
        CHECK(file.put(content).values() == counting);
        CHECK(describe_volume(file.path()).extent == Extent{3, 2, 2});
    }
}

TEST_CASE("vtk: the title and the name of an array may have any words") {
    VtkFile file;
    const std::string named_vectors = "POINT_DATA 12\nSCALARS vector_field unsigned_char\nLOOKUP_TABLE default\n" + twelve;
    CHECK(file.put(head("ASCII", "vectors of Bob") + grid + named_vectors).values() == counting);
    CHECK(file.put(head("ascii", "") + "dataset structured_points\norigin 0 0 0\naspect_ratio 1 1 1\ndimensions 3 2 2\n" + named_vectors)
              .values() == counting);
    CHECK(file.put(text("POINT_DATA 12\nSCALARS my%20scalars%25%4 unsigned_char\nLOOKUP_TABLE t\n" + twelve)).open()->info().dataset ==
          "/my scalars%%4");
}

TEST_CASE("vtk: every type, as text and big-endian") {
    struct Type {
        std::string name;
        ScalarType type;
    };
    using enum ScalarType;
    VtkFile file;
    for (const auto& [name, type] : {Type{"char", i8},
                                     {"signed_char", i8},
                                     {"unsigned_char", u8},
                                     {"short", i16},
                                     {"unsigned_short", u16},
                                     {"int", i32},
                                     {"unsigned_int", u32},
                                     {"long", i64},
                                     {"unsigned_long", u64},
                                     {"vtktypeint64", i64},
                                     {"vtktypeuint64", u64},
                                     {"vtkIdType", i32},
                                     {"float", f32},
                                     {"double", f64}}) {
        const std::string header = "POINT_DATA 12\nSCALARS s " + name + "\nLOOKUP_TABLE default\n";
        CAPTURE(header);
        const auto bytes = visit_scalar(type, []<class T>(std::type_identity<T>) {
            std::string stored;
            for (int value = 0; value < 12; ++value) {
                const T number = T(value);
                std::string one(sizeof(T), '\0');
                std::memcpy(one.data(), &number, sizeof(T));
                stored.append(one.rbegin(), one.rend());
            }
            return stored;
        });
        const auto from_text = file.put(text(header + twelve)).open();
        CHECK(from_text->info().type == type);
        CHECK(from_text->info().stored_type == name_of(type));
        CHECK(read_all(*from_text, 1) == read_all(*file.put(binary(header + bytes)).open(), 5));
        CHECK(count_above(*file.open(), 6) == 5);
    }
}

TEST_CASE("vtk: bits, and colours of one component") {
    VtkFile file;
    const std::string bits = "POINT_DATA 12\nSCALARS s bit\nLOOKUP_TABLE default\n", colours = "POINT_DATA 12\nCOLOR_SCALARS s 1\n";
    const std::vector<std::uint8_t> pattern{1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1};
    CHECK(file.put(binary(bits + "\x92\x50")).values() == pattern);
    CHECK(file.open()->info().stored_type == "bit");
    CHECK(file.put(text(bits + "1 0 0 1 0 0 1 0 0 1 0 1\n")).values() == pattern);
    CHECK(file.put(text(bits + "1 0 0 1 0 0 1 0 0 1 0 2\n")).fault() == ErrorKind::invalid_file);
    CHECK(file.put(binary(bits + "\x92")).fault() == ErrorKind::truncated_file);
    CHECK(file.put(binary(colours + twelve_bytes)).values() == counting);
    const std::string fractions = "0 0.00392157 0.5 0.996078 1 0 0 0 0 0 0 ";  // as VTK writes 0, 1, 128, 254, 255
    CHECK(file.put(text(colours + fractions + "1\n")).values() == std::vector<std::uint8_t>{0, 1, 128, 254, 255, 0, 0, 0, 0, 0, 0, 255});
    for (const char* last : {"1.01", "-0.1", "nan", "inf", "255"})
        CHECK(file.put(text(colours + fractions + last + "\n")).fault() == ErrorKind::invalid_file);
}

TEST_CASE("vtk: numbers of a text that are no digits, or do not fit their type") {
    VtkFile file;
    const auto with = [&](const std::string& type, const std::string& last) -> VtkFile& {
        return file.put(text("POINT_DATA 12\nSCALARS s " + type + "\nLOOKUP_TABLE default\n0 1 2 3 4 5 6 7 8 9 10 " + last + "\n"));
    };
    constexpr float infinity = std::numeric_limits<float>::infinity();
    CHECK(std::isnan(with("float", "nan").values<float>().back()));
    CHECK(std::isnan(with("float", "-nan(ind)").values<float>().back()));
    CHECK(with("float", "inf").values<float>().back() == infinity);
    CHECK(with("float", "-Infinity").values<float>().back() == -infinity);
    CHECK(with("float", "+1e3").values<float>().back() == 1000);
    CHECK(with("float", "3.4028235e+38").values<float>().back() == std::numeric_limits<float>::max());
    CHECK(with("double", "1e300").values<double>().back() == 1e300);
    CHECK(with("unsigned_char", "255").values().back() == 255);
    for (const auto& [type, last] : {std::pair<std::string, std::string>{"float", "1e39"},
                                     {"float", "1e400"},
                                     {"double", "1e400"},
                                     {"float", "1,5"},
                                     {"float", "0x10"},
                                     {"float", "1.2.3"},
                                     {"unsigned_char", "256"},
                                     {"unsigned_char", "-1"},
                                     {"char", "128"},
                                     {"short", "1.5"},
                                     {"int", "nan"},
                                     {"unsigned_int", "4294967296"},
                                     {"float", "CELL_DATA"},
                                     {"float", "-"}}) {
        const std::string value = last;
        CAPTURE(value);
        CHECK(with(type, value).fault() == ErrorKind::invalid_file);
    }
}

TEST_CASE("vtk: geometry of points and of cells") {
    VtkFile file;
    const auto affine = [&] { return file.open()->info().geometry.affine; };
    file.put(text("POINT_DATA 12\n" + scalars + twelve));
    CHECK(affine() == Affine{{{-1, 0, 0, -10}, {0, -2, 0, -20}, {0, 0, 3, 30}}});
    file.put(text("CELL_DATA 2\n" + scalars + "1 2\n"));
    CHECK(file.open()->info().extent == Extent{2, 1, 1});
    CHECK(affine() == Affine{{{-1, 0, 0, -10.5}, {0, -2, 0, -21}, {0, 0, 3, 31.5}}});
    file.put(head("ASCII") + "DATASET STRUCTURED_POINTS\nDIMENSIONS 3 1 2\nSPACING 1 2 3\nORIGIN 0 0 0\nCELL_DATA 2\n" + scalars + "1 2\n");
    CHECK(affine() == Affine{{{-1, 0, 0, -0.5}, {0, -2, 0, 0}, {0, 0, 3, 1.5}}});  // the axis of one point is not shifted
    file.put(head("ASCII") + "DATASET STRUCTURED_POINTS\nDIMENSIONS 3 2 2\nORIGIN 1 2 3\nPOINT_DATA 12\n" + scalars + twelve);
    CHECK_FALSE(affine());
    CHECK_FALSE(file.open()->info().geometry.spacing);
    file.put(head("ASCII") + "DATASET STRUCTURED_POINTS\nDIMENSIONS 3 2 2\nSPACING 1 -2 3\nPOINT_DATA 12\n" + scalars + twelve);
    CHECK_FALSE(affine());
    CHECK(file.open()->info().geometry.spacing == std::array<double, 3>{1, 2, 3});
}

TEST_CASE("vtk: an array is chosen by its name") {
    VtkFile file;
    file.put(text("CELL_DATA 2\n" + scalars + "1 2\nPOINT_DATA 12\nFIELD f 3\na 1 12 int\n" + twelve + "s 1 12 unsigned_char\n" + twelve +
                  "v 2 12 int\n" + twelve + twelve + "NORMALS n float\n" + twelve + twelve + twelve));
    CHECK(file.fault() == ErrorKind::several_datasets);
    CHECK(choices_of([&] { file.open(); }) == "/CELL_DATA/s, /a, /s");
    CHECK(describe_volume(file.path()).extent.voxels() == 0);
    CHECK(describe_volume(file.path()).datasets.size() == 3);
    for (const char* name : {"s", "/s", "/POINT_DATA/s"}) CHECK(file.values(named(name)) == counting);
    CHECK(file.values(named("/CELL_DATA/s")) == std::vector<std::uint8_t>{1, 2});
    CHECK(file.open(named("a"))->info().type == ScalarType::i32);
    CHECK(file.fault(named("b")) == ErrorKind::no_such_dataset);
    CHECK(file.fault(named("v")) == ErrorKind::several_values);
    CHECK(file.fault(named("n")) == ErrorKind::several_values);
    file.put(text("CELL_DATA 2\n" + scalars + "1 2\n" + scalars + "1 2\n"));
    CHECK(file.fault() == ErrorKind::several_datasets);
    CHECK(file.fault(named("s")) == ErrorKind::unsupported_file);
    file.put(text("POINT_DATA 12\nGLOBAL_IDS g vtkIdType\n" + twelve + scalars + twelve));
    CHECK(file.values() == counting);  // identifiers are no scalars
    CHECK(file.open(named("g"))->info().type == ScalarType::i32);
    CHECK(file.fault({.volume = 1}) == ErrorKind::no_such_volume);
}

TEST_CASE("vtk: wrong files are refused") {
    VtkFile file;
    const std::string points = "POINT_DATA 12\n" + scalars + twelve, dataset = "DATASET STRUCTURED_POINTS\n";
    for (const std::string& content :
         {head("ASCII") + dataset + "DIMENSIONS 3 2 2\nPACING 1 2 3\n" + points,
          head("ASCII") + dataset + "DIMENSIONS 3 2 2\nSPACING 1 2\n" + points,
          head("ASCII") + dataset + "DIMENSIONS 3 2 2\nSPACING 1 2 nan\n" + points,
          head("ASCII") + dataset + "SPACING 1 2 3\n" + points,
          head("ASCII") + dataset + "DIMENSIONS 3 2\n" + points,
          head("ASCII") + dataset + "DIMENSIONS 3 2 2\nDIMENSIONS 3 2 2\n" + points,
          head("ASCII") + dataset + "DIMENSIONS 3 2 2\nORIGIN 0 0 0\nORIGIN 0 0 0\n" + points,
          head("ASCII") + dataset + "DIMENSIONS 3 2 3\n" + points,
          head("ASCII") + dataset + "DIMENSIONS 0 2 2\n" + points,
          head("ASCII") + dataset + "DIMENSIONS -3 -2 2\n" + points,
          head("ASCII") + dataset + "DIMENSIONS 9223372036854775807 9223372036854775807 2\n" + points,
          head("ASCII") + dataset + "DIMENSIONS 3 2 2\nSCALARS s int\n" + twelve,
          head("ASCIi2") + grid + points,
          head("ASCII") + "STRUCTURED_POINTS\n" + points,
          text(""),
          text("POINT_DATA 12\n"),
          text("POINT_DATA 13\n" + scalars + twelve),
          text(points + points),
          text("CELL_DATA 12\n" + scalars + twelve),
          text(points + "12"),
          text(points + "trailing"),
          text("POINT_DATA 12\nSCALARS s unsigned_char x\n" + twelve),
          text("POINT_DATA 12\n" + scalars + "0 1 2\n"),
          text("POINT_DATA 12\nSCALARS s unsigned_char\nMOOKUP_TABLE default\n" + twelve),
          binary("POINT_DATA 12\nSCALARS s unsigned_char\nMOOKUP_TABLE default\n" + twelve_bytes),
          binary("POINT_DATA 12\n" + scalars + twelve_bytes + "x"),
          binary("POINT_DATA 12\n" + scalars + twelve_bytes + "\n\x01"),
          binary("POINT_DATA 12\nSCALARS s unsigned_char\nLOOKUP_TABLE default x\n" + twelve_bytes),
          binary("POINT_DATA 12\nSCALARS s double 4611686018427387904\nLOOKUP_TABLE default\n" + twelve_bytes),
          binary("POINT_DATA 12\nFIELD f 1\na -1 -12 double\n" + twelve_bytes),
          binary("FIELD f 1\na 1 9223372036854775807 string\n" + std::string(8, '\xc0')),
          binary("FIELD f 1\na 1 1 string\n" + std::string(9, '\x3f') + "\nPOINT_DATA 12\n" + scalars + twelve_bytes),
          text(points + "METADATA\nCOMPONENT\n\n"),
          text(points + "METADATA\nINFORMATION 2\nNAME a LOCATION b\nDATA 1\n\n"),
          text("POINT_DATA 12\nFIELD f 9223372036854775807\n"),
          head("ASCII") + dataset + std::string(5000, 'x')}) {
        CAPTURE(content);
        CHECK(about_content(file.put(content).fault()));
    }
    for (const char* version : {"6.0", "3", "3.x", "", "a.0", "0.9", "3.0 beta"})
        CHECK(file.put("# vtk DataFile Version " + std::string(version) + "\nt\nASCII\n" + grid + points).fault() ==
              ErrorKind::unsupported_file);
    for (const char* other : {"RECTILINEAR_GRID", "STRUCTURED_GRID", "POLYDATA", "UNSTRUCTURED_GRID", "FIELD"}) {
        file.put(head("ASCII") + "DATASET " + other + "\nDIMENSIONS 3 2 2\n" + points);
        CHECK(file.fault() == ErrorKind::unsupported_file);
        CHECK(file.message().find(std::string("is a VTK file of '") + other) != std::string::npos);
    }
    CHECK(file.put(text("POINT_DATA 12\nSCALARS s variant\n" + twelve)).fault() == ErrorKind::unsupported_file);
    CHECK(file.put(text("POINT_DATA 12\nVECTORS v int\n" + twelve + twelve + twelve)).fault() == ErrorKind::several_values);
    CHECK(file.put(text("POINT_DATA 12\nSCALARS s int 2\nLOOKUP_TABLE d\n" + twelve + twelve)).fault() == ErrorKind::several_values);
}

TEST_CASE("vtk: binary values without a line end after them give a warning, because a byte could be missing") {
    VtkFile file;
    const std::string points = "POINT_DATA 12\n" + scalars, normals = "NORMALS n char\n",
                      bytes = twelve_bytes + twelve_bytes + twelve_bytes;
    const auto warnings = [&] { return file.open()->info().warnings.size(); };
    file.put(binary(points + twelve_bytes + "\n" + normals + bytes + "\r\n"));
    CHECK(warnings() == 0);
    file.put(binary(points + twelve_bytes));  // as ITK writes it
    CHECK(warnings() == 0);
    const std::string more = normals + bytes + "\n", shifted = twelve_bytes.substr(1) + "\n";
    for (const std::string& content :
         {binary(points + twelve_bytes + more), binary(points + shifted + more),
          head("BINARY", "vtk output") + grid + points + twelve_bytes, head("BINARY", "vtk output") + grid + points + shifted}) {
        file.put(content);
        CHECK(warnings() == 1);
    }
}

TEST_CASE("vtk: truncation at any length is detected") {
    VtkFile file;
    const std::string points = "POINT_DATA 12\n" + scalars, vectors = "VECTORS v unsigned_char\n",
                      bytes = twelve_bytes + twelve_bytes + twelve_bytes;
    for (const std::string& complete :
         {text(points + twelve), binary(points + twelve_bytes),
          text("POINT_DATA 12\n" + vectors + twelve + twelve + twelve + "METADATA\nCOMPONENT_NAMES\na\nb\nc\n\n" + scalars + twelve),
          binary("POINT_DATA 12\n" + vectors + bytes + "\n" + scalars + twelve_bytes)}) {
        CHECK(file.put(complete).values() == counting);
        for (std::size_t size = 0; size < complete.size(); ++size) {
            CAPTURE(size);
            CHECK(about_content(file.put(complete.substr(0, size)).fault()));
        }
    }
}
