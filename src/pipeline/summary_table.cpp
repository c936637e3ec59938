#include "src/pipeline/summary_table.h"

#include "src/pipeline/bids.h"
#include "src/pipeline/columns.h"

#include <algorithm>
#include <numeric>

namespace voxcc {
namespace {

/// Adds the cell of a value, or n/a.
template <class T>
void add_value(std::vector<io::Cell>& row, const std::optional<T>& value) {
    row.emplace_back();
    if (value) row.back() = *value;
}

/// n/a without values.
io::Cell median_of(std::vector<std::uint64_t> values) {
    if (values.empty()) return {};
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    if (values.size() % 2 == 1) return values[middle];
    const std::uint64_t low = values[middle - 1], high = values[middle];
    return double(low) + double(high - low) / 2;
}

}  // namespace

std::vector<std::string> summary_columns(const TableForm& form) {
    std::vector<std::string> columns{"file"};
    for (const std::string& key : form.entities) columns.push_back(entity_column(key));
    columns.insert(columns.end(), form.further.begin(), form.further.end());
    if (form.volume == VolumeColumn::add) columns.emplace_back("volume");
    columns.insert(columns.end(), {"components", "voxels"});
    if (form.spaces.volumes) columns.push_back("volume_" + unit_of(Quantity::volume, form.units).page);
    if (form.spaces.planes) columns.push_back("area_" + unit_of(Quantity::area, form.units).page);
    columns.insert(columns.end(), {"largest", "median", "foreground_voxels", "voxels_in_volume"});
    return columns;
}

std::vector<io::Cell> summary_row(const VolumeSummary& s, const TableForm& form) {
    std::vector<io::Cell> row{s.file};
    for (const std::optional<std::string>& value : entity_values(s.file, form.entities)) add_value(row, value);
    row.insert(row.end(), s.further.begin(), s.further.end());
    if (form.volume == VolumeColumn::add) add_value(row, s.volume);
    const std::uint64_t voxels = std::accumulate(s.sizes.begin(), s.sizes.end(), std::uint64_t{0});
    row.emplace_back(std::uint64_t(s.sizes.size()));
    row.emplace_back(voxels);
    const auto size_in = [&](Space space) { return s.space == space ? s.size : std::nullopt; };
    if (form.spaces.volumes) add_value(row, size_in(Space::volume));
    if (form.spaces.planes) add_value(row, size_in(Space::plane));
    add_value(row, s.sizes.empty() ? std::nullopt : std::optional(std::ranges::max(s.sizes)));
    row.push_back(median_of(s.sizes));
    add_value(row, s.foreground);
    add_value(row, s.voxels_in_volume);
    return row;
}

}  // namespace voxcc
