#include "src/commands/joined_volumes.h"

#include "io/table_reader.h"
#include "src/errors/program_error.h"

#include <algorithm>

namespace voxcc {
namespace {

/// The cell of a column; null if the table does not have the column.
const io::Cell* cell_of(const std::string& column, const std::vector<std::string>& columns, const std::vector<io::Cell>& row) {
    const auto found = std::ranges::find(columns, column);
    return found == columns.end() ? nullptr : &row[std::size_t(found - columns.begin())];
}

std::string text_of(const io::Cell* cell) {
    if (!cell) return "";
    if (const auto* const numeral = std::get_if<io::Numeral>(cell)) return numeral->text;
    const auto* const text = std::get_if<std::string>(cell);
    return text ? *text : "";
}

}  // namespace

std::size_t JoinedVolumes::place_of(const Key& key, const std::vector<std::string>& columns) {
    const auto [place, is_new] = places_.emplace(key, volumes_.size());
    if (is_new) {
        volumes_.push_back({.file = key.first, .sizes = {}});
        sums_.emplace_back(columns);
    }
    return place->second;
}

void JoinedVolumes::add_row(const std::vector<std::string>& columns, const std::vector<io::Cell>& row, const std::string& table) {
    const std::string number = text_of(cell_of("volume", columns, row));
    const std::size_t place = place_of({text_of(cell_of("file", columns, row)), number}, columns);
    VolumeSummary& volume = volumes_[place];
    if (!number.empty()) volume.volume = std::strtoll(number.c_str(), nullptr, 10);
    const io::Cell* const voxels = cell_of("voxels", columns, row);
    const io::Cell count = voxels ? io::with_value(*voxels) : io::Cell();
    if (!std::holds_alternative<std::uint64_t>(count))
        throw ProgramError(ErrorKind::invalid_file, table, "has no column 'voxels' with whole numbers, which --summary needs",
                           "give tables of 'voxcc label' or 'voxcc stats' with this column");
    volume.sizes.push_back(std::get<std::uint64_t>(count));
    sums_[place].add(row);
}

}  // namespace voxcc
