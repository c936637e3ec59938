// Tables as CSV, TSV or JSON. Numbers have the shortest form that reads back exactly; '.' and '\n' are used in every locale.
#pragma once
#include "io/checked_file.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace voxcc::io {

enum class TableFormat { csv, tsv, json };

/// Chooses the format by extension; "-" (stdout) is CSV. @throw Error unknown_format if the extension is not .csv, .tsv or .json
TableFormat table_format(const std::string& path);

/// A table value. monostate and NaN are written as n/a (JSON: null), infinite numbers as inf and -inf (JSON: "inf" and "-inf"), and -0 as
/// 0.
using Cell = std::variant<std::monostate, std::uint64_t, std::int64_t, double, std::string>;

/// Writes a table row by row. JSON is an array with one object per line. Not thread-safe.
/// CSV quotes as RFC 4180. A text cell that a spreadsheet would run as a formula (= + - @) gets a leading apostrophe.
/// TSV writes tab, newline, CR and backslash in text as \t \n \r \\.
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
