#include "src/pipeline/side_tables.h"

#include "src/pipeline/bids.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace voxcc {
namespace {

/// Adds the cell of a value, or n/a. An area or a position that is too large for a double does not exist.
template <class T>
void add(std::vector<io::Cell>& row, const std::optional<T>& value) {
    row.emplace_back();
    if constexpr (std::is_same_v<T, double>)
        if (value && !std::isfinite(*value)) return;
    if (value) row.back() = *value;
}

/// A number of contacts, if the connectivity counts these contacts.
std::optional<std::uint64_t> if_counted(std::uint64_t count, Connectivity connectivity, std::initializer_list<Connectivity> counts) {
    if (std::ranges::find(counts, connectivity) == counts.end()) return std::nullopt;
    return count;
}

}  // namespace

void add_names(std::vector<std::string>& columns, const OriginColumns& origin) {
    if (origin.file) columns.emplace_back("file");
    for (const std::string& key : origin.entities) columns.push_back(entity_column(key));
    columns.insert(columns.end(), origin.further.begin(), origin.further.end());
    if (origin.volume) columns.emplace_back("volume");
}

void add_cells(std::vector<io::Cell>& row, const OriginColumns& origin, const OriginCells& cells) {
    if (origin.file) row.push_back(cells.file);
    for (const std::optional<std::string>& value : cells.entities) add(row, value);
    row.insert(row.end(), cells.further.begin(), cells.further.end());
    if (origin.volume) row.push_back(cells.volume);
}

io::Cell label_cell(std::uint64_t bits, ScalarType type) {
    if (type == ScalarType::u64) return bits;
    return std::int64_t(bits);
}

std::vector<std::string> contact_columns(ContactColumns which, const OriginColumns& origin, Units units) {
    std::vector<std::string> columns{"label_a", "label_b", "faces", "area_" + unit_of(Quantity::area, units).page};
    if (which == ContactColumns::all) columns.insert(columns.end(), {"edges", "corners"});
    add_names(columns, origin);
    return columns;
}

void add_contacts(const VolumeContacts& volume, ContactColumns which, const OriginColumns& origin, const OriginCells& cells,
                  io::TableWriter& table) {
    using enum Connectivity;
    std::optional<std::array<double, 3>> areas;
    if (volume.world) areas = face_areas(*volume.world);
    std::vector<io::Cell> row;
    for (const LabelContact& c : volume.contacts) {
        row.clear();
        row.push_back(label_cell(c.a, volume.type));
        row.push_back(label_cell(c.b, volume.type));
        row.emplace_back(c.faces[0] + c.faces[1] + c.faces[2]);
        std::optional<double> area;
        if (areas) area = double(c.faces[0]) * (*areas)[0] + double(c.faces[1]) * (*areas)[1] + double(c.faces[2]) * (*areas)[2];
        add(row, area);
        if (which == ContactColumns::all) {
            add(row, if_counted(c.edges, volume.connectivity, {c8, c18, c26}));
            add(row, if_counted(c.corners, volume.connectivity, {c26}));
        }
        add_cells(row, origin, cells);
        table.row(row);
    }
}

std::vector<std::string> local_maxima_columns(const IntensityOptions& options, const OriginColumns& origin, Units units) {
    std::vector<std::string> columns{"label", "value", "i", "j", "k"};
    for (const char* axis : {"x_", "y_", "z_"}) columns.push_back(axis + std::string(name_of(units)));
    if (options.images.size() > 1) columns.emplace_back("intensity");
    add_names(columns, origin);
    return columns;
}

void add_local_maxima(const MeasuredImage& image, std::uint64_t component, const io::Cell& label, const std::optional<World>& world,
                      const IntensityOptions& options, const OriginColumns& origin, const OriginCells& cells, io::TableWriter& table) {
    std::vector<io::Cell> row;
    // clang 14 does not compile std::ranges::equal_range.
    const auto& all = image.local_maxima;
    for (const LocalMaximum& maximum : std::span(std::ranges::lower_bound(all, component, {}, &LocalMaximum::component),
                                                 std::ranges::upper_bound(all, component, {}, &LocalMaximum::component))) {
        row.clear();
        row.push_back(label);
        row.emplace_back(maximum.stored * image.scale.slope + image.scale.intercept);
        for (const std::uint32_t index : maximum.at) row.emplace_back(std::uint64_t(index));
        std::optional<std::array<double, 3>> position;
        if (world) position = world_position(*world, {double(maximum.at[0]), double(maximum.at[1]), double(maximum.at[2])});
        for (std::size_t axis = 0; axis < 3; ++axis) add(row, position ? std::optional((*position)[axis]) : std::nullopt);
        if (options.images.size() > 1) add(row, image.name.empty() ? std::nullopt : std::optional(image.name));
        add_cells(row, origin, cells);
        table.row(row);
    }
}

}  // namespace voxcc
