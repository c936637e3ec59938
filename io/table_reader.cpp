#include "io/table_reader.h"

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace voxcc::io {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
std::optional<T> number_of(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

// "'=a" -> "=a"
std::string without_apostrophe(std::string text) {
    const bool is_formula = text.size() > 1 && text[0] == '\'' && std::string_view("=+-@").find(text[1]) != std::string_view::npos;
    if (is_formula) text.erase(0, 1);
    return text;
}

/// The number that TableWriter writes as this text, if it is infinite.
std::optional<double> infinite_number(std::string_view text) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return text == "inf" ? std::optional(infinity) : text == "-inf" ? std::optional(-infinity) : std::nullopt;
}

// "12" -> std::uint64_t, "-12" -> std::int64_t, "1.5", "-inf" -> double, "n/a" -> std::monostate, "nan" and "x" -> std::string
Cell cell_of(std::string text) {
    if (text == "n/a") return {};
    if (const auto infinite = infinite_number(text)) return *infinite;
    const std::size_t digit = text.starts_with('-') ? 1 : 0;
    if (digit < text.size() && text[digit] >= '0' && text[digit] <= '9') {
        if (const auto whole = number_of<std::uint64_t>(text)) return *whole;
        if (const auto whole = number_of<std::int64_t>(text)) return *whole;
        if (const auto real = number_of<double>(text)) return *real;
    }
    return without_apostrophe(std::move(text));
}

Cell cell_of(const Json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (value.is_number_float()) return value.get<double>();
    if (value.is_string()) {
        const auto infinite = infinite_number(value.get_ref<const std::string&>());
        return infinite ? Cell(*infinite) : Cell(value.get<std::string>());
    }
    if (value.is_boolean()) return std::string(value.get<bool>() ? "true" : "false");
    return {};
}

/// Splits the text of a CSV or TSV file into cells.
class Lines {
public:
    Lines(const std::string& path, std::string_view text, TableFormat format) : path_(path), text_(text), format_(format) {
        if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // byte order mark, which spreadsheets write
    }
    bool at_end() const { return at_ >= text_.size(); }
    std::size_t number() const { return number_; }  // of the line that next() has returned, from 1
    /// @return the cells of the next line
    std::vector<std::string> next() {
        ++number_;
        std::vector<std::string> cells;
        do cells.push_back(format_ == TableFormat::csv && peek() == '"' ? quoted() : plain());
        while (take(format_ == TableFormat::csv ? ',' : '\t'));
        take('\r');
        if (!at_end() && !take('\n')) fail("has text after a closing quote");
        return cells;
    }
    [[noreturn]] void fail(const std::string& cause) const {
        throw Error(ErrorKind::invalid_file, path_, "line " + std::to_string(number_) + " " + cause);
    }

private:
    char peek() const { return at_end() ? '\n' : text_[at_]; }
    bool take(char c) {
        if (at_end() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    std::string plain() {
        const char* const ends = format_ == TableFormat::csv ? ",\r\n" : "\t\r\n";
        const std::size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
        const std::string_view cell = text_.substr(at_, end - at_);
        at_ = end;
        return format_ == TableFormat::csv ? std::string(cell) : without_escapes(cell);
    }
    std::string quoted() {
        std::string cell;
        for (++at_; !at_end(); ++at_) {
            if (text_[at_] == '"' && (++at_ >= text_.size() || text_[at_] != '"')) return cell;
            cell += text_[at_];
        }
        fail("has a quote that is not closed");
    }
    // "a\\tb" -> "a", tab, "b"
    static std::string without_escapes(std::string_view cell) {
        std::string text;
        for (std::size_t i = 0; i < cell.size(); ++i) {
            const std::size_t escape =
                cell[i] == '\\' && i + 1 < cell.size() ? std::string_view("tnr\\").find(cell[i + 1]) : std::string::npos;
            if (escape == std::string::npos) text += cell[i];
            else text += "\t\n\r\\"[escape], ++i;
        }
        return text;
    }

    const std::string& path_;
    std::string_view text_;
    TableFormat format_;
    std::size_t at_ = 0, number_ = 0;
};

std::vector<std::string> read_lines(const std::string& path, TableFormat format, const RowVisitor& visit) {
    const std::string text = InputFile(path).text();
    Lines lines(path, text, format);
    if (lines.at_end()) throw Error(ErrorKind::invalid_file, path, "is empty, so it is not a table");
    const std::vector<std::string> columns = lines.next();
    while (!lines.at_end()) {
        std::vector<std::string> cells = lines.next();
        if (cells.size() != columns.size())
            lines.fail("has " + std::to_string(cells.size()) + " cells, but the table has " + std::to_string(columns.size()) + " columns");
        std::vector<Cell> row;
        row.reserve(cells.size());
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (columns[i] == "file") row.push_back(without_apostrophe(std::move(cells[i])));  // a file may be named 007
            else row.push_back(cell_of(std::move(cells[i])));
        }
        visit(columns, row);
    }
    return columns;
}

std::vector<std::string> read_json(const std::string& path, const RowVisitor& visit) {
    const auto fail = [&](const std::string& cause) { throw Error(ErrorKind::invalid_file, path, cause); };
    const Json table = Json::parse(InputFile(path).text(), nullptr, false);
    if (!table.is_array()) fail(table.is_discarded() ? "is not valid JSON" : "is not a table: a table is an array of objects");
    std::vector<std::string> columns;
    for (const Json& object : table) {
        if (!object.is_object()) fail("is not a table: a table is an array of objects");
        if (columns.empty())
            for (const auto& [name, value] : object.items()) columns.push_back(name);
        std::vector<Cell> row;
        for (const auto& [name, value] : object.items()) {
            if (row.size() >= columns.size() || columns[row.size()] != name) fail("has rows with different columns");
            if (value.is_structured()) fail("has a cell that is a list or an object");
            if (name == "file" && value.is_string()) row.push_back(value.get<std::string>());  // a file may be named inf
            else row.push_back(cell_of(value));
        }
        if (row.size() != columns.size()) fail("has rows with different columns");
        visit(columns, row);
    }
    return columns;
}

}  // namespace

std::vector<std::string> read_table(const std::string& path, const RowVisitor& visit) {
    const TableFormat format = table_format(path);
    return format == TableFormat::json ? read_json(path, visit) : read_lines(path, format, visit);
}

}  // namespace voxcc::io
