// The columns and rows of the table of components. `voxcc label` and `voxcc stats` use the same table.
#pragma once
#include "src/options/options.h"
#include "src/pipeline/columns.h"

namespace voxcc {

/// One column of a table.
struct TableColumn {
    std::string name;
    const ColumnFamily* family;
    std::size_t member;     // of the family; the index of the percentage for percentiles
    std::size_t image = 0;  // index of the intensity image
    std::string which;      // the difference to the other columns of the family: "i", "i, ct", "50"
    Units units = Units::mm;
};

/// The columns that the images of --intensity add.
ExtraColumns with_images(const IntensityOptions& options, ExtraColumns extras = {});

/// The columns of a table, in order.
std::vector<TableColumn> table_columns(const ExtraColumns& extras);

/// The names of columns, in the same order.
std::vector<std::string> names_of(const std::vector<TableColumn>& columns);

/// Sets the cells of a voxel inside the component. @param world of the table; empty: the voxel has no position
void set_inside(ComponentValues& values, const std::array<std::int64_t, 3>& voxel, const std::optional<World>& world);

/// @return the cells of a row, one per column
std::vector<io::Cell> component_row(const std::vector<TableColumn>& columns, const ComponentValues& values);

}  // namespace voxcc
