#include "io/table_reader.h"

#include "io/anndata.h"
#include "io/json_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

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

void require_utf8(const std::string& path, std::string_view text) {
    if (text.find('\0') != std::string::npos)
        throw Error(ErrorKind::invalid_file, path, "has bytes that are 0, so it is not text in UTF-8; save it as UTF-8");
    if (!is_utf8(text)) throw Error(ErrorKind::invalid_file, path, "is not text in UTF-8; save it as UTF-8");
}

/// How a text states separators, line ends and lines that are not rows.
struct Notation {
    char separator;
    enum class Special : std::uint8_t { quotes, escapes } special;                       // quotes as in RFC 4180, or \t \n \r \\ as in TSV
    enum class Comments : std::uint8_t { none, number_sign } comments = Comments::none;  // lines that begin with #
};

Notation notation_of(TableFormat format) {
    return format == TableFormat::csv ? Notation{',', Notation::Special::quotes} : Notation{'\t', Notation::Special::escapes};
}

/// Splits the text of a CSV or TSV file into cells.
class Lines {
public:
    Lines(const std::string& path, std::string_view text, const Notation& notation) : path_(path), text_(text), notation_(notation) {
        if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // byte order mark, which spreadsheets write
        skip_empty_lines();
    }
    bool at_end() const { return at_ >= text_.size(); }
    std::size_t number() const { return number_; }  // of the line that next() has returned, from 1
    /// @return the cells of the next line that is not empty
    std::vector<std::string> next() {
        number_ += std::exchange(quoted_, 0) + skipped_ + 1;
        std::vector<std::string> cells;
        do cells.push_back(has_quotes() && peek() == '"' ? quoted() : plain());
        while (take(notation_.separator));
        if (!at_end() && !take_line_end()) fail("has text after a closing quote");
        skip_empty_lines();
        return cells;
    }
    [[noreturn]] void fail(const std::string& cause) const {
        throw Error(ErrorKind::invalid_file, path_, "line " + std::to_string(number_) + " " + cause);
    }

private:
    bool has_quotes() const { return notation_.special == Notation::Special::quotes; }
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
    bool take_comment() {
        if (notation_.comments == Notation::Comments::none || peek() != '#') return false;
        at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
        take_line_end();
        return true;
    }
    void skip_empty_lines() {
        for (skipped_ = 0; take_comment() || take_line_end(); ++skipped_) {
        }
    }
    std::string plain() {
        const std::array ends{notation_.separator, '\r', '\n'};
        const std::size_t end = std::min(text_.find_first_of(ends.data(), at_, ends.size()), text_.size());
        const std::string_view cell = text_.substr(at_, end - at_);
        at_ = end;
        return has_quotes() ? std::string(cell) : without_escapes(cell);
    }
    std::string quoted() {
        std::string cell;
        for (++at_; !at_end(); ++at_) {
            if (text_[at_] == '"' && (++at_ >= text_.size() || text_[at_] != '"')) return cell;
            quoted_ += text_[at_] == '\n';
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
    Notation notation_;
    std::size_t at_ = 0, number_ = 0;
    std::size_t skipped_ = 0;  // empty lines before the next line
    std::size_t quoted_ = 0;   // line ends inside the quotes of this line
};

std::vector<std::string> read_lines(const std::string& path, const std::string& text, TableFormat format, const RowVisitor& visit) {
    Lines lines(path, text, notation_of(format));
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
    if (is_anndata_path(path))
        throw Error(ErrorKind::unknown_format, path, "is an AnnData file, which is not read as a table", "a table in .csv, .tsv or .json");
    const TableFormat format = table_format(path);
    const std::string text = InputFile(path).text();
    require_utf8(path, text);
    return format == TableFormat::json ? read_json_table(path, text, visit) : read_lines(path, text, format, visit);
}

std::vector<TextRow> rows_of_list(const std::string& path, std::string_view text, char separator) {
    require_utf8(path, text);
    std::vector<TextRow> rows;
    for (Lines lines(path, text, {separator, Notation::Special::quotes, Notation::Comments::number_sign}); !lines.at_end();) {
        std::vector<std::string> cells = lines.next();
        const bool has_text =
            std::ranges::any_of(cells, [](const std::string& cell) { return cell.find_first_not_of(" \t") != cell.npos; });
        if (has_text) rows.push_back({lines.number(), std::move(cells)});
    }
    return rows;
}

Cell with_value(Cell cell) {
    const auto* numeral = std::get_if<Numeral>(&cell);
    if (!numeral) return cell;
    if (const auto whole = number_of<std::uint64_t>(numeral->text)) return *whole;
    if (const auto whole = number_of<std::int64_t>(numeral->text)) return *whole;
    return number_of<double>(numeral->text).value_or(0);
}

}  // namespace voxcc::io
