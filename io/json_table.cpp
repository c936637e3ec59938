#include "io/json_table.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace voxcc::io {
namespace {

using Json = nlohmann::json;

constexpr const char* not_a_table = "is not a table: a table is an array of objects";
constexpr const char* other_columns = "has rows with different columns";

/// Receives the events of the parser. The first object decides the columns.
class RowParser {
public:
    RowParser(const std::string& path, const RowVisitor& visit) : path_(path), visit_(visit) {}

    bool null() { return add(Cell()); }
    bool boolean(bool value) { return add(std::string(value ? "true" : "false")); }
    bool number_integer(Json::number_integer_t value) { return add(Numeral{std::to_string(value)}); }
    bool number_unsigned(Json::number_unsigned_t value) { return add(Numeral{std::to_string(value)}); }
    bool number_float(Json::number_float_t, const std::string& digits) { return add(Numeral{digits}); }
    bool string(std::string& value) {
        if (value.find('\0') != std::string::npos) fail("has a cell with the character 0, which is not text");
        return add(in_row_ ? text_cell(columns_[row_.size()], std::move(value)) : Cell());
    }
    bool binary(Json::binary_t&) { return false; }
    bool start_array(std::size_t) {
        if (in_row_) fail("has a cell that is a list or an object");
        if (in_table_) fail(not_a_table);
        return in_table_ = true;
    }
    bool end_array() { return true; }
    bool start_object(std::size_t) {
        if (in_row_) fail("has a cell that is a list or an object");
        if (!in_table_) fail(not_a_table);
        return in_row_ = true;
    }
    bool key(std::string& name) {
        if (is_first_) {
            columns_.push_back(std::move(name));
            return true;
        }
        if (row_.size() >= columns_.size() || columns_[row_.size()] != name) fail(other_columns);
        return true;
    }
    bool end_object() {
        if (is_first_) require_different_columns(path_, columns_);
        if (row_.size() != columns_.size()) fail(other_columns);
        in_row_ = is_first_ = false;
        visit_(columns_, row_);
        row_.clear();
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) { fail("is not valid JSON"); }
    std::vector<std::string> take() { return std::move(columns_); }

private:
    bool add(Cell cell) {
        if (!in_row_) fail(not_a_table);
        row_.push_back(std::move(cell));
        return true;
    }
    [[noreturn]] void fail(const std::string& cause) const { throw Error(ErrorKind::invalid_file, path_, cause); }

    const std::string& path_;
    const RowVisitor& visit_;
    std::vector<std::string> columns_;
    std::vector<Cell> row_;
    bool in_table_ = false, in_row_ = false, is_first_ = true;
};

}  // namespace

void require_different_columns(const std::string& path, std::vector<std::string> columns) {
    std::ranges::sort(columns);
    const auto twice = std::ranges::adjacent_find(columns);
    if (twice != columns.end())
        throw Error(ErrorKind::invalid_file, path, "has two columns of the name '" + *twice + "'; rename one of them");
}

Cell text_cell(const std::string& column, std::string text) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (column != "file" && text == "inf") return infinity;
    if (column != "file" && text == "-inf") return -infinity;
    return text;
}

std::vector<std::string> read_json_table(const std::string& path, const std::string& text, const RowVisitor& visit) {
    RowParser parser(path, visit);
    Json::sax_parse(text, &parser);
    return parser.take();
}

}  // namespace voxcc::io
