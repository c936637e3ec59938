// The rows that labelled volumes add to tables.
#pragma once
#include "src/pipeline/component_table.h"
#include "src/pipeline/pipeline.h"

namespace voxcc {

/// @param merged whether rows of several inputs share the table, told apart by the column `file`
enum class Merged { no, yes };
ExtraColumns label_columns(const LabelOptions& options, Merged merged);

/// A row a component that was kept, in the order of the final numbers.
void add_rows(const LabelledVolume& volume, const ExtraColumns& columns, io::TableWriter& table);

}  // namespace voxcc
