// Tables as CSV, TSV or JSON. Numbers have the shortest form that reads back exactly; '.' and '\n' are used in every locale.
#pragma once
#include "io/files/checked_file.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace voxcc::io {

enum class TableFormat { csv, tsv, json };

/// Chooses the format by extension; "-" (stdout) is CSV. @throw Error unknown_format if the extension is not .csv, .tsv or .json
TableFormat table_format(const std::string& path);

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
    void put_text(const std::string& text);
    void flush();
    OutputFile* file_;
    TableFormat format_;
    std::vector<std::string> columns_;
    std::string buffer_;
    std::uint64_t rows_ = 0;
};

}  // namespace voxcc::io
