// The tables of contacts and of local maxima that `voxcc label` writes.
#pragma once
#include "src/pipeline/label_table.h"

#include <array>

namespace voxcc {

enum class SideTable : std::uint8_t { contacts, local_maxima };
inline constexpr std::array side_tables{SideTable::contacts, SideTable::local_maxima};

// contacts -> "--contacts"
std::string option_of(SideTable table);

/// The path that an option gives to the table, with {stem}; empty if the table is not written.
const std::string& path_of(SideTable table, const LabelOptions& options);

/// @param merged whether the table has rows of several inputs; if so, it has a column `file`
std::vector<std::string> columns_of(SideTable table, const LabelOptions& options, Merged merged, Units units);

/// Adds the rows of a labelled volume.
void add_rows(SideTable table, const LabelledVolume& volume, const LabelOptions& options, Merged merged, io::TableWriter& writer);

}  // namespace voxcc
