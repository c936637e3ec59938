#include "io/table_reader.h"

#include "io/json_table.h"

#include <charconv>
#include <optional>

namespace voxcc::io {
namespace {

template <class T>
std::optional<T> number_of(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

// "'=a" -> "=a"
std::string without_apostrophe(std::string text) {
    if (text.starts_with('\'') && is_formula(std::string_view(text).substr(1))) text.erase(0, 1);
    return text;
}

/// Whether a text is a number in the notation of JSON that a double can have.
// "12", "-0.50", "1e5"  ->  true; "007", "+5", ".5", "1e999", "0x10"  ->  false
bool is_numeral(std::string_view text) {
    const std::size_t digit = text.starts_with('-') ? 1 : 0;
    if (digit >= text.size() || text[digit] < '0' || text[digit] > '9') return false;
    const bool has_leading_zero = text[digit] == '0' && digit + 1 < text.size() && text[digit + 1] >= '0' && text[digit + 1] <= '9';
    const std::size_t point = text.find('.');
    const bool ends_at_point = point != text.npos && (point + 1 == text.size() || text[point + 1] < '0' || text[point + 1] > '9');
    return !has_leading_zero && !ends_at_point && number_of<double>(text).has_value();
}

// "1.50" -> Numeral, "-inf" -> double, "n/a" -> std::monostate, "007", "nan" and "x" -> std::string
Cell cell_of(const std::string& column, std::string text, TableFormat format) {
    if (column != "file" && text == "n/a") return {};
    if (column != "file" && is_numeral(text)) return Numeral{std::move(text)};
    return text_cell(column, format == TableFormat::csv ? without_apostrophe(std::move(text)) : std::move(text));
}

/// Whether a text has only characters of UTF-8: no wrong or missing bytes, no surrogates, and no character in more bytes than it needs.
bool is_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U; };
        const unsigned first = byte(0);
        if (first < 0x80) {
            ++at;
            continue;
        }
        const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
        if (first < 0xc2 || first > 0xf4) return false;
        for (std::size_t i = 1; i < bytes; ++i)
            if ((byte(i) & 0xc0) != 0x80) return false;
        const bool is_long = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
        const bool is_outside = (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
        if (is_long || is_outside) return false;
        at += bytes;
    }
    return true;
}

std::string read_text(const std::string& path) {
    std::string text = InputFile(path).text();
    if (text.find('\0') != std::string::npos)
        throw Error(ErrorKind::invalid_file, path, "has bytes that are 0, so it is not text in UTF-8; save it as UTF-8");
    if (!is_utf8(text)) throw Error(ErrorKind::invalid_file, path, "is not text in UTF-8; save it as UTF-8");
    return text;
}

/// Splits the text of a CSV or TSV file into cells.
class Lines {
public:
    Lines(const std::string& path, std::string_view text, TableFormat format) : path_(path), text_(text), format_(format) {
        if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // byte order mark, which spreadsheets write
        skip_empty_lines();
    }
    bool at_end() const { return at_ >= text_.size(); }
    std::size_t number() const { return number_; }  // of the line that next() has returned, from 1
    /// @return the cells of the next line that is not empty
    std::vector<std::string> next() {
        number_ += skipped_ + 1;
        std::vector<std::string> cells;
        do cells.push_back(format_ == TableFormat::csv && peek() == '"' ? quoted() : plain());
        while (take(format_ == TableFormat::csv ? ',' : '\t'));
        if (!at_end() && !take_line_end()) fail("has text after a closing quote");
        skip_empty_lines();
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
    /// CR LF, LF, or CR, which old programs for the Macintosh write.
    bool take_line_end() {
        const bool is_return = take('\r');
        return take('\n') || is_return;
    }
    void skip_empty_lines() {
        for (skipped_ = 0; take_line_end(); ++skipped_) {
        }
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
    std::size_t at_ = 0, number_ = 0, skipped_ = 0;  // skipped_: empty lines before the next line
};

std::vector<std::string> read_lines(const std::string& path, const std::string& text, TableFormat format, const RowVisitor& visit) {
    Lines lines(path, text, format);
    if (lines.at_end()) throw Error(ErrorKind::invalid_file, path, "is empty, so it is not a table");
    const std::vector<std::string> columns = lines.next();
    require_different_columns(path, columns);
    while (!lines.at_end()) {
        std::vector<std::string> cells = lines.next();
        if (cells.size() != columns.size())
            lines.fail("has " + std::to_string(cells.size()) + " cells, but the table has " + std::to_string(columns.size()) + " columns");
        std::vector<Cell> row;
        row.reserve(cells.size());
        for (std::size_t i = 0; i < cells.size(); ++i) row.push_back(cell_of(columns[i], std::move(cells[i]), format));
        visit(columns, row);
    }
    return columns;
}

}  // namespace

std::vector<std::string> read_table(const std::string& path, const RowVisitor& visit) {
    const TableFormat format = table_format(path);
    const std::string text = read_text(path);
    return format == TableFormat::json ? read_json_table(path, text, visit) : read_lines(path, text, format, visit);
}

Cell with_value(Cell cell) {
    const auto* numeral = std::get_if<Numeral>(&cell);
    if (!numeral) return cell;
    if (const auto whole = number_of<std::uint64_t>(numeral->text)) return *whole;
    if (const auto whole = number_of<std::int64_t>(numeral->text)) return *whole;
    return number_of<double>(numeral->text).value_or(0);
}

}  // namespace voxcc::io
