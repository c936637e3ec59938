// The columns and rows of the table of components. `voxcc label` and `voxcc stats` use the same table.
#pragma once
#include "src/options/options.h"
#include "src/pipeline/columns.h"

namespace voxcc {

/// One column of a table.
struct TableColumn {
    std::string name;
    const ColumnFamily* family;
    std::size_t member;     // of the family; the index of the percentage, entity or further column
    std::size_t image = 0;  // index of the intensity image
    std::string which;      // the difference to the other columns of the family: "i", "i, ct", "50"
    Units units = Units::mm;
    int digits = 0;  // significant digits of real numbers; 0: as many as the number needs
};

/// The columns that the images of --intensity add.
ExtraColumns with_images(const IntensityOptions& options, ExtraColumns extras = {});

/// @throw Error invalid_argument if the columns of two images have one name
void check_image_columns(const IntensityOptions& options);

/// All columns of a table, in order.
std::vector<TableColumn> table_columns(const ExtraColumns& extras);

/// The columns of --columns in its order, with the digits of --digits. A name is the name of a column, of a group, or of a column without
/// its unit, as in volume.
/// @throw Error invalid_argument if a name stands for no column of the table
std::vector<TableColumn> chosen(std::vector<TableColumn> columns, const TableChoice& choice);

/// Whether the name of a group stands for its columns, and the name of a column of one image for the columns of all images.
enum class Groups : std::uint8_t { leave_out, expand };

/// The columns that a name stands for: the column with this name, else the columns with this name without their unit, of this group, or of
/// all images.
// images ct and pet, Groups::expand: "intensity_mean" -> ct_mean, pet_mean
std::vector<TableColumn> columns_named(const std::vector<TableColumn>& columns, const std::string& name, Groups groups);

/// All columns of a table, in each unit and for components of both spaces. @param extras of the table
std::vector<TableColumn> columns_in_all_units(ExtraColumns extras);

/// The choice for a table at a path. On a terminal, the default is label, size, centroid and the columns that tell where a row comes from,
/// with 5 digits.
/// @param columns all columns of the table
TableChoice choice_for(TableChoice choice, const std::string& path, const std::vector<TableColumn>& columns);

/// Checks the names of --columns before the unit of a table is known. @param extras of the table
/// @throw Error invalid_argument if a name stands for no column in any unit
void check_columns(const TableChoice& choice, ExtraColumns extras);

/// The names of columns, in the same order.
std::vector<std::string> names_of(const std::vector<TableColumn>& columns);

/// Sets the cells of a voxel inside the component. @param world of the table; empty: the voxel has no position
void set_inside(ComponentValues& values, const std::array<std::int64_t, 3>& voxel, const std::optional<World>& world);

/// @return the cells of a row, one per column
std::vector<io::Cell> component_row(const std::vector<TableColumn>& columns, const ComponentValues& values);

}  // namespace voxcc
