#include "io/table.h"

#include <fcntl.h>
#include <unistd.h>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/io/files.h"

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

std::string written(TableFormat format, const std::vector<std::string>& columns, const std::vector<std::vector<Cell>>& rows) {
    const TemporaryFolder folder;
    const std::string path = (folder.path / "table").string();
    OutputFiles outputs(Overwrite::refuse, {});
    TableWriter writer(&outputs.create(path), format, columns);
    for (const auto& row : rows) writer.row(row);
    writer.finish();
    outputs.publish();
    return content_of(path);
}

// Redirects stdout of this process to `fd` until destroyed.
struct StdoutTo {
    int saved;
    explicit StdoutTo(int fd) : saved(::dup(STDOUT_FILENO)) { ::dup2(fd, STDOUT_FILENO); }
    ~StdoutTo() {
        ::dup2(saved, STDOUT_FILENO);
        ::close(saved);
    }
};

std::optional<ErrorKind> kind_of_writing_to(int stdout_descriptor) {
    const StdoutTo redirection(stdout_descriptor);
    return kind_of([] {
        TableWriter writer(nullptr, TableFormat::csv, {"a"});
        writer.row({std::uint64_t{1}});
        writer.finish();
    });
}

const std::vector<Cell> one_of_each{std::uint64_t{18446744073709551615u}, std::numeric_limits<std::int64_t>::min(), 0.1, Cell{},
                                    std::string("text")};

}  // namespace

TEST_CASE("the extension chooses the format") {
    CHECK(table_format("a.csv") == TableFormat::csv);
    CHECK(table_format("dir.json/a.TSV") == TableFormat::tsv);
    CHECK(table_format("a.json") == TableFormat::json);
    CHECK(table_format("-") == TableFormat::csv);
    for (const char* path : {"a", "a.csv.gz", "a.xlsx", ".csv", ""}) {
        CAPTURE(path);
        CHECK_THROWS_AS(table_format(path), Error);
    }
}

TEST_CASE("values of every type in every format") {
    const std::vector<std::string> columns{"u", "i", "d", "none", "t"};
    CHECK(written(TableFormat::csv, columns, {one_of_each}) == "u,i,d,none,t\n18446744073709551615,-9223372036854775808,0.1,n/a,text\n");
    CHECK(written(TableFormat::tsv, columns, {one_of_each}) ==
          "u\ti\td\tnone\tt\n18446744073709551615\t-9223372036854775808\t0.1\tn/a\ttext\n");
    CHECK(written(TableFormat::json, columns, {one_of_each, one_of_each}) ==
          "[\n{\"u\":18446744073709551615,\"i\":-9223372036854775808,\"d\":0.1,\"none\":null,\"t\":\"text\"},\n"
          "{\"u\":18446744073709551615,\"i\":-9223372036854775808,\"d\":0.1,\"none\":null,\"t\":\"text\"}\n]\n");
}

TEST_CASE("numbers keep their digits; -0 is 0 in JSON") {
    const std::vector<Cell> row{Numeral{"-0"}, Numeral{"-0.0"}, Numeral{"1.50e1"}};
    CHECK(written(TableFormat::csv, {"a", "b", "c"}, {row}) == "a,b,c\n-0,-0.0,1.50e1\n");
    CHECK(written(TableFormat::json, {"a", "b", "c"}, {row}) == "[\n{\"a\":0,\"b\":-0.0,\"c\":1.50e1}\n]\n");
}

TEST_CASE("a row with one empty cell is not an empty line") {
    const std::vector<std::vector<Cell>> rows{{"x"}, {""}, {"y"}};
    CHECK(written(TableFormat::csv, {"a"}, rows) == "a\nx\n\"\"\ny\n");
    CHECK(written(TableFormat::tsv, {"a"}, rows) == "a\nx\nn/a\ny\n");
    CHECK(written(TableFormat::json, {"a"}, rows) == "[\n{\"a\":\"x\"},\n{\"a\":\"\"},\n{\"a\":\"y\"}\n]\n");
}

TEST_CASE("a table without rows has only the header") {
    CHECK(written(TableFormat::csv, {"a", "b"}, {}) == "a,b\n");
    CHECK(written(TableFormat::tsv, {"a", "b"}, {}) == "a\tb\n");
    CHECK(nlohmann::json::parse(written(TableFormat::json, {"a", "b"}, {})) == nlohmann::json::array());
}

TEST_CASE("doubles are read back exactly; infinite numbers are words, and NaN is n/a") {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> values{0, 1. / 3, 1e22, 5e-324, 1.7976931348623157e308, -2.5, 100};
    std::vector<std::vector<Cell>> rows;
    for (const double v : values) rows.push_back({v});
    std::istringstream lines(written(TableFormat::csv, {"v"}, rows));
    std::string line;
    std::getline(lines, line);
    for (const double v : values) {
        std::getline(lines, line);
        CHECK(std::strtod(line.c_str(), nullptr) == v);
    }
    CHECK(written(TableFormat::csv, {"a", "b", "c"}, {{infinity, -infinity, std::nan("")}}) == "a,b,c\ninf,-inf,n/a\n");
    CHECK(written(TableFormat::tsv, {"a", "b"}, {{-infinity, -0.0}}) == "a\tb\n-inf\t0\n");
    CHECK(written(TableFormat::json, {"a", "b", "c"}, {{-infinity, std::nan(""), -0.0}}) == "[\n{\"a\":\"-inf\",\"b\":null,\"c\":0}\n]\n");
}

TEST_CASE("text is quoted as the format requires") {
    const auto csv = [](const std::string& text) { return written(TableFormat::csv, {"t"}, {{text}}).substr(2); };
    CHECK(csv("a b") == "a b\n");
    CHECK(csv("a,b") == "\"a,b\"\n");
    CHECK(csv("a\"b\nc") == "\"a\"\"b\nc\"\n");
    CHECK(csv("=1+2") == "'=1+2\n");
    CHECK(csv("\t=1+2") == "'\t=1+2\n");
    CHECK(csv("-1+2") == "'-1+2\n");
    CHECK(csv("-007") == "-007\n");
    CHECK(csv("+1e5") == "+1e5\n");
    CHECK(csv("-f.nii,x") == "\"'-f.nii,x\"\n");
    CHECK(csv("@a") == "'@a\n");
    CHECK(csv("+a") == "'+a\n");
    CHECK(written(TableFormat::tsv, {"t"}, {{std::string("a\tb\nc\\d\re,\"")}}) == "t\na\\tb\\nc\\\\d\\re,\"\n");
}

TEST_CASE("JSON stays valid for any bytes") {
    const std::string odd = "quote\" back\\ \n\t\x01 latin1 \xe9 utf8 \xc3\xa9";
    const auto parsed = nlohmann::json::parse(written(TableFormat::json, {"t\""}, {{odd}}));
    CHECK(parsed.at(0).at("t\"") == "quote\" back\\ \n\t\x01 latin1 \xef\xbf\xbd utf8 \xc3\xa9");
}

TEST_CASE("tables larger than the buffer are written completely") {
    std::vector<std::vector<Cell>> rows;
    std::string expected = "a,b\n";
    for (std::uint64_t i = 0; i < 300'000; ++i) {
        rows.push_back({i, double(i) + 0.5});
        expected += std::to_string(i) + "," + std::to_string(i) + ".5\n";
    }
    CHECK((written(TableFormat::csv, {"a", "b"}, rows) == expected));
}

TEST_CASE("a row of the wrong length is an internal error") {
    const TemporaryFolder folder;
    OutputFiles outputs(Overwrite::refuse, {});
    TableWriter writer(&outputs.create((folder.path / "t.csv").string()), TableFormat::csv, {"a", "b"});
    CHECK_THROWS_AS(writer.row({std::uint64_t{1}}), Error);
}

TEST_CASE("a table on stdout, and failures of stdout") {
    const TemporaryFolder folder;
    const int file = ::open((folder.path / "out").c_str(), O_RDWR | O_CREAT, 0600);
    CHECK_FALSE(kind_of_writing_to(file));
    ::close(file);
    CHECK(content_of(folder.path / "out") == "a\n1\n");

    const int full = ::open("/dev/full", O_WRONLY);
    REQUIRE(full >= 0);
    CHECK(kind_of_writing_to(full) == ErrorKind::disk_full);
    ::close(full);

    std::signal(SIGPIPE, SIG_IGN);
    int pipe_ends[2];
    REQUIRE(::pipe(pipe_ends) == 0);
    ::close(pipe_ends[0]);
    CHECK(kind_of_writing_to(pipe_ends[1]) == ErrorKind::io_error);
    ::close(pipe_ends[1]);
    std::signal(SIGPIPE, SIG_DFL);
}
