// Adds the rows of labelled volumes to tables.
#pragma once
#include "src/pipeline/component_output.h"
#include "src/pipeline/pipeline.h"
#include "src/pipeline/summary_table.h"

namespace voxcc {

/// The columns of the table.
/// @param merged whether the table has rows of several inputs; if so, it has a column `file`
enum class Merged { no, yes };
std::vector<TableColumn> label_columns(const LabelOptions& options, Merged merged, const TableForm& form);

/// What the options add to these columns.
ExtraColumns label_extras(const LabelOptions& options, Merged merged, const TableForm& form);

/// Checks the columns of --stats, and the names in --keep and --columns, before the units of the tables are known.
/// @throw Error invalid_argument if a name stands for no column; the exceptions of check_component_output()
void check_table_options(const LabelOptions& options);

/// Whether a run writes a table: of components, volumes, contacts or local maxima.
bool has_table(const LabelOptions& options);

/// A row of --summary.
VolumeSummary summary_of(const LabelledVolume& volume, const TableForm& form);

/// The form of the table of one input. @param volumes of the input
TableForm form_of(const LabelOptions& options, std::span<const LabelledVolume> volumes);

/// Adds one row per kept component, in the order of the final numbers.
/// @param columns of the table
void add_rows(const LabelledVolume& volume, const LabelOptions& options, const std::vector<TableColumn>& columns, ComponentOutput& table);

}  // namespace voxcc
