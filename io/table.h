// Tables as CSV, TSV or JSON, and aligned tables on a terminal. Numbers have the shortest form that reads back exactly; '.' and '\n' are
// used in every locale.
#pragma once
#include "io/files/checked_file.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace voxcc::io {

enum class TableFormat { csv, tsv, json, aligned };

/// Chooses the format by extension; "-" (stdout) is CSV, or aligned if stdout is a terminal. @throw Error unknown_format if the extension
/// is not .csv, .tsv or .json
TableFormat table_format(const std::string& path);

/// The columns of a terminal that a text takes: one per character of UTF-8.
// "\u00b5m" -> 2
std::size_t terminal_columns_of(std::string_view text);

/// A number as a table states it, in the notation of JSON. Its digits are written as they are, but -0 as 0 in JSON,
/// where readers take it for the whole number 0.
struct Numeral {
    std::string text;
    friend bool operator==(const Numeral&, const Numeral&) = default;
};

/// A table value. monostate and NaN are written as n/a (JSON: null), infinite numbers as inf and -inf (JSON: "inf" and "-inf"), and -0 as
/// 0.
using Cell = std::variant<std::monostate, std::uint64_t, std::int64_t, double, std::string, Numeral>;

/// Whether a spreadsheet would run a text as a formula: it begins with = + - or @, also after tabs and line ends, and is not a number.
// "=1+1", "-x", "\t@a", "-1+1"  ->  true; "-5", "+1e5", "a=b"  ->  false
bool is_formula(std::string_view text);

/// Writes a table row by row. JSON is an array with one object per line. Not thread-safe.
/// CSV quotes as RFC 4180. A text cell that is a formula gets a leading apostrophe.
/// TSV writes tab, newline, CR and backslash in text as \t \n \r \\. An empty text in the only column is "" in CSV and n/a in TSV, because
/// readers skip empty lines.
/// Aligned tables have columns that are as wide as their widest cell among the first 1000 rows. Numbers are aligned to the right.
class TableWriter {
public:
    /// @param file null for stdout; else it must outlive the writer
    TableWriter(OutputFile* file, TableFormat format, std::vector<std::string> columns);
    /// Writes one row. @param cells one per column. @throw Error io_error; internal if the number of cells is wrong
    void row(const std::vector<Cell>& cells);
    /// Writes the remaining text and closes the file (stdout is flushed). @throw Error io_error
    void finish();

private:
    void put(const Cell& cell);
    void put_row(const std::vector<Cell>& cells);
    void put_aligned();
    void put_text(const std::string& text);
    void flush();
    OutputFile* file_;
    TableFormat format_;
    std::vector<std::string> columns_;
    std::string buffer_;
    std::uint64_t rows_ = 0;
    std::vector<std::vector<Cell>> waiting_;  // rows of an aligned table whose widths are not known yet
    std::vector<std::size_t> widths_;         // of the columns of an aligned table; empty: not known yet
};

}  // namespace voxcc::io
