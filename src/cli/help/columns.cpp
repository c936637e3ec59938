// The tables of columns in docs/reference/columns.md.
#include "src/pipeline/columns.h"
#include "src/cli/help/formats.h"
#include "src/cli/help/wrap.h"

#include <algorithm>

namespace voxcc::cli {
namespace {

constexpr std::size_t line_width = 120;

/// A cell and the border on its right. "|" would end the cell.
// "N |det|" -> " N \\|det\\| |"
std::string cell(std::string_view text) {
    const std::string escaped = replaced(std::string(text), [](char c) { return c == '|' ? "\\|" : std::string(1, c); });
    return (escaped.empty() ? "" : " ") + escaped + " |";
}

std::string row_of(const ColumnFamily& family, std::size_t first, std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t at = first; at < std::min(first + count, family.members.size()); ++at)
        names.push_back("`" + name_of(family, family.members[at]) + "`");
    const std::string unit = family.range.empty() ? unit_of(family.quantity).page : std::string(family.range);
    return "|" + cell(joined(names, ", ")) + cell(family.meaning) + cell(family.formula) + cell(unit) + "\n";
}

/// The rows of a family: as few as fit into the width of a line, with about the same number of names.
std::string rows_of(const ColumnFamily& family) {
    std::size_t names = family.members.size();
    while (names > 1 && row_of(family, 0, names).size() > line_width) --names;
    const std::size_t rows = (family.members.size() + names - 1) / names, names_per_row = (family.members.size() + rows - 1) / rows;
    std::string text;
    for (std::size_t first = 0; first < family.members.size(); first += names_per_row) text += row_of(family, first, names_per_row);
    return text;
}

}  // namespace

std::string markdown_of_columns() {
    std::string text;
    for (const ColumnSection& section : column_sections()) {
        text +=
            (text.empty() ? "## " : "\n## ") + std::string(section.title) + "\n| column | meaning | formula | unit |\n|---|---|---|---|\n";
        for (const ColumnFamily& family : section.families) text += rows_of(family);
    }
    return text;
}

}  // namespace voxcc::cli
