#include "src/pipeline/component_table.h"

#include "src/options/numbers.h"

#include <cmath>

namespace voxcc {

namespace {

/// The name of a column of an intensity image.
// "ct": intensity_mean -> ct_mean, peak_i -> ct_peak_i
std::string with_image(const std::string& column, const std::string& image) {
    constexpr std::string_view prefix = "intensity_";
    if (image.empty()) return column;
    return image + "_" + (column.starts_with(prefix) ? column.substr(prefix.size()) : column);
}

/// Adds the columns of a family. @param image index in extras.images
void add_columns(std::vector<TableColumn>& columns, const ColumnFamily& family, const ExtraColumns& extras, std::size_t image) {
    const std::string name = family.image_cell ? extras.images[image] : "";
    const auto add = [&](const std::string& column, std::size_t member, std::string which) {
        if (!name.empty()) which += (which.empty() ? "" : ", ") + name;
        columns.push_back({with_image(column, name), &family, member, image, std::move(which), extras.form.units});
    };
    if (family.repeat == ColumnFamily::Members::percentiles) {
        for (std::size_t p = 0; p < extras.percentiles.size(); ++p) {
            const std::string percentage = shortest_text(extras.percentiles[p]);
            add("intensity_p" + percentage, p, percentage);
        }
        return;
    }
    for (std::size_t member = 0; member < family.members.size(); ++member)
        add(name_of(family, family.members[member], extras.form.units), member, std::string(family.members[member].which));
}

/// The cell as it is written: without infinite numbers that are not values of the file.
io::Cell written(io::Cell cell, const ColumnFamily& family) {
    const auto* real = std::get_if<double>(&cell);
    const bool is_absent = real && std::isinf(*real) && family.infinite == ColumnFamily::Infinite::absent;
    return is_absent ? io::Cell() : cell;
}

}  // namespace

ExtraColumns with_images(const IntensityOptions& options, ExtraColumns extras) {
    for (const IntensityImage& image : options.images) extras.images.push_back(image.name);
    extras.percentiles = options.percentiles;
    return extras;
}

std::vector<TableColumn> table_columns(const ExtraColumns& extras) {
    std::vector<TableColumn> columns;
    for (const ColumnSection& section : column_sections()) {
        // All columns of an image follow each other.
        const bool of_images = section.families.front().image_cell != nullptr;
        for (std::size_t image = 0; image < (of_images ? extras.images.size() : 1); ++image)
            for (const ColumnFamily& family : section.families)
                if (family.is_present(extras)) add_columns(columns, family, extras, image);
    }
    return columns;
}

std::vector<std::string> names_of(const std::vector<TableColumn>& columns) {
    std::vector<std::string> names;
    for (const TableColumn& column : columns) names.push_back(column.name);
    return names;
}

void set_inside(ComponentValues& values, const std::array<std::int64_t, 3>& voxel, const std::optional<World>& world) {
    values.inside = voxel;
    if (world) values.inside_mm = world_position(*world, {double(voxel[0]), double(voxel[1]), double(voxel[2])});
}

std::vector<io::Cell> component_row(const std::vector<TableColumn>& columns, const ComponentValues& values) {
    std::vector<io::Cell> row;
    row.reserve(columns.size());
    for (const TableColumn& column : columns) {
        const ColumnFamily& family = *column.family;
        if (!family.image_cell) row.push_back(written(family.cell(values, column.member), family));
        else if (column.image < values.images.size())
            row.push_back(written(family.image_cell(values.images[column.image], column.member), family));
        else row.emplace_back();
    }
    return row;
}

}  // namespace voxcc
