// What the summary of a run states about the volumes of a report.
#pragma once
#include "src/report/run_summary.h"
#include "src/report/volumes.h"

namespace voxcc::report {

/// Adds the number of foreground voxels and of all voxels to a volume, if the run has as many components of it as the table. A volume
/// without a file is the only volume of the run, or the only one with the name of the table.
void add_counts(const std::vector<RunVolume>& run, TableVolume& volume);

/// Inserts the volumes without components at their places in the order of the run, because a table with the column `file` does not mention
/// them.
// run a b c, volumes a c -> a b c
void insert_volumes_without_rows(const std::vector<RunVolume>& run, std::vector<TableVolume>& volumes);

}  // namespace voxcc::report
