// The table of components: its columns and rows, the same for `label` and `stats`.
#pragma once
#include <voxcc/intensity.h>
#include <voxcc/statistics.h>
#include "io/table.h"

#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// Which columns follow those that every table has.
struct ExtraColumns {
    bool source_label = false, intensity = false, file = false, volume = false, slice = false;
};

/// What stands in them; cells of columns that the table does not have are not looked at, those that it has and that are not given are n/a.
struct ExtraCells {
    io::Cell source_label;  // the common value of a multi-label component: an integer, or a double if the input is of floats
    std::optional<IntensityProperties> intensity;
    io::Cell file, volume, slice;
};

/// Names of the columns, in order.
std::vector<std::string> component_columns(const ExtraColumns& extras);

/// @param label an integer
/// @return as many cells as there are columns
std::vector<io::Cell> component_row(const io::Cell& label, const Properties& properties, const ExtraColumns& extras,
                                    const ExtraCells& cells);

}  // namespace voxcc
