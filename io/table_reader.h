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

/// A Numeral as std::uint64_t, std::int64_t or double, the first that can have its value. Other cells are returned as they are.
Cell with_value(Cell cell);

}  // namespace voxcc::io
