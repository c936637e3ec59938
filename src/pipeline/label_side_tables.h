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

struct SideTableForm {
    Merged merged = Merged::no;  // yes: the table has rows of several inputs, and a column `file`
    TableForm table;
};

std::vector<std::string> columns_of(SideTable table, const LabelOptions& options, const SideTableForm& form);

/// Adds the rows of a labelled volume.
void add_rows(SideTable table, const LabelledVolume& volume, const LabelOptions& options, const SideTableForm& form,
              io::TableWriter& writer);

}  // namespace voxcc
