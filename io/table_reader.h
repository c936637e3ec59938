// Reads tables that TableWriter or another program has written.
#pragma once
#include "io/table.h"

#include <functional>

namespace voxcc::io {

/// Receives one row. @param columns names of the columns @param row one cell per column
using RowVisitor = std::function<void(const std::vector<std::string>& columns, std::vector<Cell>& row)>;

/// Calls `visit` for each row of a table, in the order of the file. TableWriter writes each cell of the same format as it is in the file:
/// a number in the notation of JSON is a Numeral, inf and -inf are numbers, n/a and null are std::monostate, and other cells are text
/// (007, +5, nan). Cells of the column `file` are always text. The apostrophe that CSV has before a formula is removed.
/// Lines of CSV and TSV end with LF, CR LF or CR; empty lines are skipped.
/// @param path .csv, .tsv or .json
/// @return the names of the columns; empty for a JSON table without rows
/// @throw Error unknown_format for another extension; missing_file, no_permission, io_error; invalid_file if the file is not a table, has
/// two columns of one name, or is not UTF-8 without NUL. Rows before the fault may have been visited.
std::vector<std::string> read_table(const std::string& path, const RowVisitor& visit);

/// A row of text, without empty lines before it.
struct TextRow {
    std::size_t line = 1;  // the number of its first line in the file, from 1
    std::vector<std::string> cells;
};

/// The rows of a list with columns. Cells may be in quotes, as in RFC 4180. Lines that begin with #, and rows without text, are left out.
/// Rows may have different numbers of cells. @param path for errors
/// @throw Error invalid_file if a quote is not closed or is followed by text, or if the text is not UTF-8 without NUL
// "# two\ninput,age\n\"a.nii\",7\n", ',' -> {{2, {"input", "age"}}, {3, {"a.nii", "7"}}}
std::vector<TextRow> rows_of_list(const std::string& path, std::string_view text, char separator);

/// A Numeral as std::uint64_t, std::int64_t or double, the first that can have its value. Other cells are returned as they are.
Cell with_value(Cell cell);

}  // namespace voxcc::io
