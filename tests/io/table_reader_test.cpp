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
    const Table table = read(TableFile("t.csv", "a,b,c,d,e,f\n18446744073709551615,-5,1.5e-3,n/a,-x,\n"));
    REQUIRE(table.rows.size() == 1);
    const std::vector<Cell> expected{std::uint64_t{18446744073709551615u}, std::int64_t{-5}, 1.5e-3, {}, "-x", ""};
    CHECK(table.rows[0] == expected);
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
    const Table table = read(TableFile("t.json", R"([{"a": 1, "b": null}, {"a": -1, "b": "x"}, {"a": 0.5, "b": true}])"));
    CHECK(table.columns == std::vector<std::string>{"a", "b"});
    REQUIRE(table.rows.size() == 3);
    CHECK(table.rows[0] == std::vector<Cell>{std::uint64_t{1}, {}});
    CHECK(table.rows[1] == std::vector<Cell>{std::int64_t{-1}, "x"});
    CHECK(table.rows[2] == std::vector<Cell>{0.5, "true"});
    CHECK(read(TableFile("t.json", "[]")).columns.empty());
}

TEST_CASE("table reader: files that are not tables") {
    CHECK(cause_of("t.csv", "") == "is empty, so it is not a table");
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
