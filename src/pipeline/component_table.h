// The columns and rows of the table of components. `voxcc label` and `voxcc stats` use the same table.
#pragma once
#include <voxcc/intensity.h>
#include <voxcc/statistics.h>
#include "io/table.h"

#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// Columns that are added after the columns of every table.
struct ExtraColumns {
    bool source_label = false, intensity = false, file = false, volume = false, slice = false;
};

/// The cells of the extra columns. Cells of columns that the table does not have are not used. Empty cells are written as n/a.
struct ExtraCells {
    io::Cell source_label;  // multi-label: the value of the voxels of the component; a double for floating-point input, else an integer
    std::optional<IntensityProperties> intensity;
    io::Cell file, volume, slice;
};

/// The names of the columns, in order.
std::vector<std::string> component_columns(const ExtraColumns& extras);

/// @param label must be an integer
/// @return the cells of the row, one per column of component_columns(extras)
std::vector<io::Cell> component_row(const io::Cell& label, const Properties& properties, const ExtraColumns& extras,
                                    const ExtraCells& cells);

}  // namespace voxcc
