// The table of --summary: one row per volume, also for volumes without components.
#pragma once
#include "io/table.h"
#include "src/pipeline/table_form.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// One volume, and the components that a table of components has of it.
struct VolumeSummary {
    std::string file;                              // as it was typed
    std::optional<std::int64_t> volume = {};       // its number in the file
    std::vector<std::uint64_t> sizes;              // voxels per component, in any order
    Space space = Space::volume;                   // of the components
    std::optional<double> size = {};               // of all components: volume, or in a plane area, in the unit of the table
    std::optional<std::uint64_t> foreground = {};  // voxels of all components, before selection
    std::optional<std::uint64_t> voxels_in_volume = {};
    std::vector<std::string> further = {};  // cells of the list of inputs, in the order of TableForm::further
};

/// The columns: file, entities of BIDS, further columns of the list, volume, components, voxels, volume_mm3 and area_mm2, largest, median,
/// foreground_voxels, voxels_in_volume. `largest` and `median` are numbers of voxels; the median of an even number is the mean of the two
/// in the middle.
std::vector<std::string> summary_columns(const TableForm& form);

// sizes {1, 9, 4, 4} -> components 4, voxels 18, largest 9, median 4
std::vector<io::Cell> summary_row(const VolumeSummary& summary, const TableForm& form);

}  // namespace voxcc
