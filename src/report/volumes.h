// The volumes of a report: the rows of the tables, divided by volume.
#pragma once
#include "src/pipeline/size_sum.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace voxcc::report {

/// The components of one volume.
struct TableVolume {
    std::string table;                   // the table that contains the rows
    std::optional<std::string> file;     // the cell of the column `file`
    std::optional<std::int64_t> volume;  // the cell of the column `volume`
    std::vector<std::string> columns;
    std::vector<std::vector<io::Cell>> rows;  // the largest components, in the order of the table
    std::vector<double> sizes;                // voxels of all components, in the order of the table
    double size_per_voxel = 0;                // of volume_mm3 or the column that replaces it; 0 if no row has a size
    std::string size_unit;                    // "mm3"; empty if size_per_voxel is 0
    SizeSum size_sum{std::vector<std::string>()};
    std::optional<std::uint64_t> foreground, voxels_in_volume;  // of the summary of the run
};

/// @return the position of a column; empty if the table does not have it
std::optional<std::size_t> column_of(const TableVolume& volume, const std::string& name);

/// A volume without rows. @param columns of the table
TableVolume empty_volume(const std::string& table, const std::vector<std::string>& columns);

/// A cell as a number. Other cells are 0.
double number_in(const io::Cell& cell);

/// Reads tables and divides their rows by the columns `file` and `volume`. A table without these columns is one volume. Volumes are in the
/// order of their first row. Of a table of `voxcc match --stats`, the objects of A are read. Tables with a column `file` but without rows
/// have no volume, unless no table has a row.
/// @param rows_limit number of rows per volume that are kept
/// @throw Error as io::read_table(); invalid_file if a table does not have the columns `label` and `voxels`
std::vector<TableVolume> read_volumes(const std::vector<std::string>& tables, std::size_t rows_limit);

/// One row per volume, in the order of the page.
/// @throw Error invalid_argument if the tables have sizes in different units
SummaryTable summary_of(const std::vector<TableVolume>& volumes);

/// Removes the smallest components until the volume has at most `limit` rows. Of components with equal sizes, the last are removed.
void keep_largest(TableVolume& volume, std::size_t limit);

/// Distributes the cells that a page may have. A volume with fewer cells than its share leaves the rest to the other volumes.
/// @return the number of rows for each volume
// volumes of 1, 100 and 100 rows with one column, limit 21  ->  {1, 10, 10}
std::vector<std::size_t> shared_rows(const std::vector<TableVolume>& volumes, std::size_t cell_limit);

}  // namespace voxcc::report
