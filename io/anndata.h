// Tables as AnnData files (.h5ad), which scanpy, squidpy and napari-spatialdata read: HDF5 in the layout that anndata documents.
// https://anndata.readthedocs.io/en/stable/fileformat-prose.html
//
//   /X                 mean per row and variable, 64-bit floating point
//   /obs               one column per column of the table, and the names of the rows (_index)
//   /var               the names of the variables (_index)
//   /obsm/spatial      position per row
//   /uns/voxcc         texts: the version of voxcc, and others
#pragma once
#include "io/table.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace voxcc::io {

/// Whether the name of a table ends in .h5ad, in any case.
bool is_anndata_path(const std::string& path);

/// The extensions of a table of components, for help and messages.
// in a build with HDF5: ".csv, .tsv, .json or .h5ad"; without: ".csv, .tsv or .json"
std::string component_table_extensions();

/// Checks the names of the columns of obs. @throw Error unknown_format in a build without HDF5; cannot_create for more columns than the
/// header of an HDF5 object can list; invalid_argument for "_index", ".", and a name that contains "/" or is not UTF-8
void check_anndata(const std::string& path, const std::vector<std::string>& columns);

/// The shape of an AnnData file, except the number of its rows.
struct AnnDataForm {
    std::vector<std::string> columns;    // of obs
    std::vector<std::string> variables;  // of X
    std::size_t axes = 3;                // of obsm/spatial: 2 or 3
};

struct AnnDataRow {
    std::string name;
    std::vector<Cell> cells;       // one per column
    std::vector<double> values;    // one per variable; NaN: no value
    std::vector<double> position;  // one per axis; NaN: unknown
};

/// Writes an AnnData file row by row, and holds at most 4096 rows in memory. Not thread-safe. The type of a column of obs follows from its
/// cells:
///  - whole numbers: int64, or uint64 if a number needs it; float64 if a cell is missing, which becomes NaN;
///  - real numbers: float64. -0 is written as 0, as in other tables;
///  - texts: strings in UTF-8. A missing cell is "n/a", and bytes that are not UTF-8 become U+FFFD, also in the names of rows and
///  variables.
/// Equal rows give equal bytes: the file has no times.
class AnnDataWriter {
public:
    virtual ~AnnDataWriter() = default;
    /// @throw Error io_error; internal if the row does not fit the form, or if a column has both texts and numbers
    virtual void row(const AnnDataRow& row) = 0;
    /// Writes the remaining rows and closes the file. Must be called once, after the last row.
    /// @param texts names and values of /uns/voxcc @throw Error io_error
    virtual void finish(const std::vector<std::pair<std::string, std::string>>& texts) = 0;
};

/// @param file must outlive the writer @throw Error as check_anndata(), io_error
std::unique_ptr<AnnDataWriter> create_anndata(OutputFile& file, AnnDataForm form);

}  // namespace voxcc::io
