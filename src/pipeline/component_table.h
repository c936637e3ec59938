// The columns and rows of the table of components. `voxcc label` and `voxcc stats` use the same table.
#pragma once
#include "src/pipeline/columns.h"

namespace voxcc {

/// One column of a table.
struct TableColumn {
    std::string name;
    const ColumnFamily* family;
    std::size_t member;  // of the family
};

/// The columns of a table, in order.
std::vector<TableColumn> table_columns(const ExtraColumns& extras);

/// The names of columns, in the same order.
std::vector<std::string> names_of(const std::vector<TableColumn>& columns);

/// @return the cells of a row, one per column
std::vector<io::Cell> component_row(const std::vector<TableColumn>& columns, const ComponentValues& values);

}  // namespace voxcc
