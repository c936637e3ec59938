// Tables as text: CSV, TSV, JSON. Numbers in the shortest form that reads back exactly, '.' and '\n' in every locale.
#pragma once
#include "io/checked_file.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace voxcc::io {

enum class TableFormat { csv, tsv, json };

/// By extension; "-" (stdout) is CSV. @throw Error usage for an extension that is none of .csv .tsv .json
TableFormat table_format(const std::string& path);

/// A value of a table; monostate and doubles that are not finite are written as n/a (JSON: null).
using Cell = std::variant<std::monostate, std::uint64_t, std::int64_t, double, std::string>;

/// Rows of cells under named columns, written as they come. JSON is an array of objects, one a line.
/// CSV quotes as RFC 4180 does; a text cell that a spreadsheet would run as a formula (= + - @) gets a leading apostrophe;
/// TSV writes tab, newline, CR and backslash in text as \t \n \r \\.
class TableWriter {
public:
    /// @param file null: stdout
    TableWriter(OutputFile* file, TableFormat format, std::vector<std::string> columns);
    void row(const std::vector<Cell>& cells);
    /// Writes what is left and closes the file (stdout is flushed). @throw Error io_error
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
