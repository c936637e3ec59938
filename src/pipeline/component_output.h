// The output of a table of components: a text (CSV, TSV, JSON), or an AnnData file (.h5ad).
#pragma once
#include "io/anndata.h"
#include "io/files/checked_file.h"
#include "src/pipeline/component_table.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// Checks the name of a table of components before its unit is known. @param extras of the table
/// @throw Error unknown_format for another extension; the exceptions of io::check_anndata()
void check_component_output(const std::string& path, const TableChoice& choice, const ExtraColumns& extras);

/// An AnnData file, and the columns for its parts.
struct AnnDataOutput {
    std::unique_ptr<io::AnnDataWriter> writer;
    std::vector<TableColumn> means, positions, indices;
    std::string unit;
    enum class Position : std::uint8_t { unknown, world, voxels } position = Position::unknown;
};

/// Writes a table of components row by row. An AnnData file has, besides the columns in obs:
///  - X: the mean of each intensity image, without rounding. An image without a name is called "intensity";
///  - obsm/spatial: the centroid x, y, z in the unit of the table, or i, j, k if the position is not known. The first row decides. Tables
///  of
///    2D images have two axes;
///  - names of rows: the label, after the volume and the file and ':' if the table has these columns;
///  - uns/voxcc: version, and spatial_unit.
class ComponentOutput {
public:
    /// @param path - for stdout @param columns chosen from the columns of `extras`
    /// @param outputs must outlive this object
    /// @throw the exceptions of io::OutputFiles::create() and io::create_anndata()
    ComponentOutput(const std::string& path, io::OutputFiles& outputs, std::vector<TableColumn> columns, const ExtraColumns& extras);
    void row(const ComponentValues& values);
    void finish();
    /// All columns whose cells row() needs.
    std::vector<TableColumn> columns() const;

private:
    void start_anndata(io::OutputFile& file);
    void put(const ComponentValues& values, AnnDataOutput& to) const;
    std::string name_of_row(const ComponentValues& values) const;

    std::vector<TableColumn> columns_;
    ExtraColumns extras_;
    std::optional<io::TableWriter> text_;
    std::optional<AnnDataOutput> anndata_;
};

}  // namespace voxcc
