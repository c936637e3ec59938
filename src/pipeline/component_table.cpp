#include "src/pipeline/component_table.h"

namespace voxcc {

std::vector<TableColumn> table_columns(const ExtraColumns& extras) {
    std::vector<TableColumn> columns;
    for (const ColumnSection& section : column_sections())
        for (const ColumnFamily& family : section.families)
            for (std::size_t member = 0; family.is_present(extras) && member < family.members.size(); ++member)
                columns.push_back({name_of(family, family.members[member]), &family, member});
    return columns;
}

std::vector<std::string> names_of(const std::vector<TableColumn>& columns) {
    std::vector<std::string> names;
    for (const TableColumn& column : columns) names.push_back(column.name);
    return names;
}

std::vector<io::Cell> component_row(const std::vector<TableColumn>& columns, const ComponentValues& values) {
    std::vector<io::Cell> row;
    row.reserve(columns.size());
    for (const TableColumn& column : columns) row.push_back(column.family->cell(values, column.member));
    return row;
}

}  // namespace voxcc
