// Tables in JSON: a list of objects with equal members.
#pragma once
#include "io/table_reader.h"

namespace voxcc::io {

/// Reads a table while it is parsed, in time linear in its length. @param path for errors
/// @return the names of the columns. @throw Error invalid_file; what `visit` throws
std::vector<std::string> read_json_table(const std::string& path, const std::string& text, const RowVisitor& visit);

/// @throw Error invalid_file if two columns have one name
void require_different_columns(const std::string& path, std::vector<std::string> columns);

/// A text cell: inf and -inf become numbers, except in the column `file`, because a file may be named inf.
Cell text_cell(const std::string& column, std::string text);

}  // namespace voxcc::io
