#include "io/table_reader.h"

#include <doctest/doctest.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

using namespace voxcc;
using namespace voxcc::io;

namespace {

struct TableFile {
    std::filesystem::path folder;
    std::string path;
    TableFile(const std::string& name, const std::string& text) {
        std::string pattern = (std::filesystem::temp_directory_path() / "voxcc-table-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        folder = pattern;
        path = (folder / name).string();
        std::ofstream(path, std::ios::binary) << text;
    }
    ~TableFile() { std::filesystem::remove_all(folder); }
};

struct Table {
    std::vector<std::string> columns;
    std::vector<std::vector<Cell>> rows;
};

Table read(const TableFile& file) {
    Table table;
    table.columns = read_table(file.path, [&](const std::vector<std::string>&, std::vector<Cell>& row) { table.rows.push_back(row); });
    return table;
}

std::string cause_of(const std::string& name, const std::string& text) {
    const TableFile file(name, text);
    try {
        read(file);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::invalid_file);
        return error.cause();
    }
    return "no error";
}

}  // namespace

TEST_CASE("table reader: types of cells") {
    const Table table = read(TableFile("t.csv", "a,b,c,d,e,f\n18446744073709551615,-5,1.50e-3,n/a,-x,\n"));
    REQUIRE(table.rows.size() == 1);
    const std::vector<Cell> expected{Numeral{"18446744073709551615"}, Numeral{"-5"}, Numeral{"1.50e-3"}, {}, "-x", ""};
    CHECK(table.rows[0] == expected);
}

TEST_CASE("table reader: only the notation of JSON is a number") {
    for (const char* text : {"0", "-0", "10", "1.10", "1e5", "-2.5E+05", "12345678901234567890123"})
        CHECK(read(TableFile("t.csv", "a\n" + std::string(text) + "\n")).rows[0][0] == Cell(Numeral{text}));
    for (const char* text : {"007", "-00", "+5", ".5", "1.", "1.e5", "1e999", "0x1F", "1 ", "nan", "infinity", "-"})
        CHECK(read(TableFile("t.csv", "a\n" + std::string(text) + "\n")).rows[0][0] == Cell(text));
}

TEST_CASE("table reader: values of numbers") {
    CHECK(with_value(Numeral{"18446744073709551615"}) == Cell(std::uint64_t{18446744073709551615u}));
    CHECK(with_value(Numeral{"-5"}) == Cell(std::int64_t{-5}));
    CHECK(with_value(Numeral{"1.50"}) == Cell(1.5));
    CHECK(with_value("x") == Cell("x"));
}

TEST_CASE("table reader: line ends and empty lines") {
    for (const char* text : {"a,b\n1,2\n3,4\n", "a,b\r1,2\r3,4", "a,b\r\n1,2\r\n3,4\r\n", "\n\na,b\n\r\n1,2\n\n\n3,4\n\n"}) {
        const Table table = read(TableFile("t.csv", text));
        CHECK(table.columns == std::vector<std::string>{"a", "b"});
        CHECK(table.rows == std::vector<std::vector<Cell>>{{Numeral{"1"}, Numeral{"2"}}, {Numeral{"3"}, Numeral{"4"}}});
    }
    CHECK(cause_of("t.csv", "a,b\n\n1\n") == "line 3 has 1 cells, but the table has 2 columns");
}

TEST_CASE("table reader: infinite numbers") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const TableFile& file : {TableFile("t.csv", "a,b,c,file\ninf,-inf,nan,inf\n"),
                                  TableFile("t.json", R"([{"a":"inf","b":"-inf","c":"nan","file":"inf"}])")}) {
        const Table table = read(file);
        REQUIRE(table.rows.size() == 1);
        CHECK(table.rows[0] == std::vector<Cell>{infinity, -infinity, "nan", "inf"});
    }
}

TEST_CASE("table reader: cells of the column file are text") {
    const Table table = read(TableFile("t.csv", "label,file\r\n1,007\r\n2,'=a\r\n3,n/a\r\n"));
    REQUIRE(table.rows.size() == 3);
    CHECK(table.rows[0][1] == Cell("007"));
    CHECK(table.rows[1][1] == Cell("=a"));
    CHECK(table.rows[2][1] == Cell("n/a"));
}

TEST_CASE("table reader: quotes, escapes, and a missing line end") {
    const Table csv = read(TableFile("t.csv", "\xef\xbb\xbf\"a,\"\"b\",c\n\"1\n2\",\"\""));
    CHECK(csv.columns == std::vector<std::string>{"a,\"b", "c"});
    REQUIRE(csv.rows.size() == 1);
    CHECK(csv.rows[0] == std::vector<Cell>{"1\n2", ""});
    const Table tsv = read(TableFile("t.tsv", "a\tb\n\"x\\ty\\\\n\\q\t\\n\n"));
    REQUIRE(tsv.rows.size() == 1);
    CHECK(tsv.rows[0] == std::vector<Cell>{"\"x\ty\\n\\q", "\n"});
}

TEST_CASE("table reader: JSON") {
    const Table table = read(TableFile("t.json", R"([{"a": 1, "b": null}, {"a": -1, "b": "x"}, {"a": 0.50, "b": true}])"));
    CHECK(table.columns == std::vector<std::string>{"a", "b"});
    REQUIRE(table.rows.size() == 3);
    CHECK(table.rows[0] == std::vector<Cell>{Numeral{"1"}, {}});
    CHECK(table.rows[1] == std::vector<Cell>{Numeral{"-1"}, "x"});
    CHECK(table.rows[2] == std::vector<Cell>{Numeral{"0.50"}, "true"});
    CHECK(read(TableFile("t.json", "[]")).columns.empty());
}

TEST_CASE("table reader: files that are not tables") {
    CHECK(cause_of("t.csv", "") == "is empty, so it is not a table");
    CHECK(cause_of("t.csv", "\n\r\n\r") == "is empty, so it is not a table");
    CHECK(cause_of("t.csv", "a,b,a\n1,2,3\n") == "has two columns of the name 'a'; rename one of them");
    CHECK(cause_of("t.json", R"([{"a": 1, "a": 2}])") == "has two columns of the name 'a'; rename one of them");
    CHECK(cause_of("t.csv", std::string("a\n\0\n", 4)) == "has bytes that are 0, so it is not text in UTF-8; save it as UTF-8");
    CHECK(cause_of("t.json", R"([{"a": "\u0000"}])") == "has a cell with the character 0, which is not text");
    for (const char* bytes : {"\xff", "\xc3", "\xc3(", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf0\x80\x80\xaf"})
        CHECK(cause_of("t.tsv", "a\n" + std::string(bytes) + "\n") == "is not text in UTF-8; save it as UTF-8");
    CHECK(read(TableFile("t.csv", "a\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n")).rows[0][0] == Cell("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
    CHECK(cause_of("t.csv", "a,b\n1\n") == "line 2 has 1 cells, but the table has 2 columns");
    CHECK(cause_of("t.csv", "a,b\n1,\"2\n") == "line 2 has a quote that is not closed");
    CHECK(cause_of("t.csv", "a,b\n1,\"2\"x\n") == "line 2 has text after a closing quote");
    CHECK(cause_of("t.json", "[{\"a\": 1}") == "is not valid JSON");
    CHECK(cause_of("t.json", "{\"a\": 1}") == "is not a table: a table is an array of objects");
    CHECK(cause_of("t.json", "[{\"a\": [1]}]") == "has a cell that is a list or an object");
    CHECK(cause_of("t.json", "[1]") == "is not a table: a table is an array of objects");
    CHECK(cause_of("t.json", R"([{"a": 1}, {"b": 1}])") == "has rows with different columns");
    CHECK(cause_of("t.json", R"([{"a": 1, "b": 2}, {"a": 1}])") == "has rows with different columns");
    CHECK_THROWS_AS(read(TableFile("t.txt", "a\n1\n")), Error);
}

TEST_CASE("table reader: rows of a list") {
    const std::string text = "\xef\xbb\xbf# made by hand\r\n\r\ninput;note\r\n\"a;\"\"b\"\".nii\";\"two\nlines\"\r\n#c\n; \nx;y;z";
    const std::vector<TextRow> rows = rows_of_list("list.csv", text, ';');
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].line == 3);
    CHECK(rows[0].cells == std::vector<std::string>{"input", "note"});
    CHECK(rows[1].line == 4);
    CHECK(rows[1].cells == std::vector<std::string>{"a;\"b\".nii", "two\nlines"});
    CHECK(rows[2].line == 8);
    CHECK(rows[2].cells == std::vector<std::string>{"x", "y", "z"});
    CHECK_THROWS_AS(rows_of_list("list.csv", "input\n\"a", ','), Error);
    CHECK_THROWS_AS(rows_of_list("list.csv", "input\n\xe9", ','), Error);
}
