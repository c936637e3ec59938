// Adds the rows of labelled volumes to tables.
#pragma once
#include "src/pipeline/component_table.h"
#include "src/pipeline/pipeline.h"

namespace voxcc {

/// The columns of the table.
/// @param merged whether the table has rows of several inputs; if so, it has a column `file`
/// @param volumes the volumes of the table, as far as they are known. Images of one slice have other columns of shapes
enum class Merged { no, yes };
std::vector<TableColumn> label_columns(const LabelOptions& options, Merged merged, std::span<const LabelledVolume> volumes);

/// Adds one row per kept component, in the order of the final numbers.
void add_rows(const LabelledVolume& volume, const LabelOptions& options, const std::vector<TableColumn>& columns, io::TableWriter& table);

}  // namespace voxcc
