// Adds the rows of labelled volumes to tables.
#pragma once
#include "src/pipeline/component_table.h"
#include "src/pipeline/pipeline.h"

namespace voxcc {

/// The columns of the table.
/// @param merged whether the table has rows of several inputs; if so, it has a column `file`
enum class Merged { no, yes };
std::vector<TableColumn> label_columns(const LabelOptions& options, Merged merged, const TableForm& form);

/// The form of the table of one input. @param volumes of the input
TableForm form_of(const LabelOptions& options, std::span<const LabelledVolume> volumes);

/// Adds one row per kept component, in the order of the final numbers.
void add_rows(const LabelledVolume& volume, const LabelOptions& options, const std::vector<TableColumn>& columns, io::TableWriter& table);

}  // namespace voxcc
