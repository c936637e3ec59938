// Reads tables that TableWriter has written.
#pragma once
#include "io/table.h"

#include <functional>

namespace voxcc::io {

/// Receives one row. @param columns names of the columns @param row one cell per column
using RowVisitor = std::function<void(const std::vector<std::string>& columns, std::vector<Cell>& row)>;

/// Calls `visit` for each row of a table, in the order of the file. A cell that is a number in decimal notation, inf or -inf becomes a
/// number; n/a and null become std::monostate. Cells of the column `file` stay text. The apostrophe before a formula is removed.
/// @param path .csv, .tsv or .json
/// @return the names of the columns; empty for a JSON table without rows
/// @throw Error unknown_format for another extension; missing_file, no_permission, io_error; invalid_file if the file is not a table
std::vector<std::string> read_table(const std::string& path, const RowVisitor& visit);

}  // namespace voxcc::io
