#include "src/pipeline/component_table.h"

#include "src/errors/program_error.h"
#include "src/options/nearest.h"
#include "src/options/numbers.h"
#include "src/pipeline/bids.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

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
        columns.push_back({with_image(column, name), &family, member, image, std::move(which), extras.form.units, 0});
    };
    if (family.repeat == ColumnFamily::Members::percentiles) {
        for (std::size_t p = 0; p < extras.percentiles.size(); ++p) {
            const std::string percentage = shortest_text(extras.percentiles[p]);
            add("intensity_p" + percentage, p, percentage);
        }
        return;
    }
    if (family.repeat == ColumnFamily::Members::entities) {
        const std::vector<std::string>& keys = extras.form.entities;
        for (std::size_t key = 0; key < keys.size(); ++key) add(entity_column(keys[key]), key, keys[key]);
        return;
    }
    if (family.repeat == ColumnFamily::Members::further) {
        const std::vector<std::string>& names = extras.form.further;
        for (std::size_t at = 0; at < names.size(); ++at) add(names[at], at, names[at]);
        return;
    }
    for (std::size_t member = 0; member < family.members.size(); ++member)
        add(name_of(family, family.members[member], extras.form.units), member, std::string(family.members[member].which));
}

/// All names that --columns may contain, each once.
std::vector<std::string> choices_of(const std::vector<TableColumn>& columns) {
    std::vector<std::string> names;
    for (const TableColumn& column : columns)
        for (const std::string_view name : {column.family->group, column.family->members.front().stem, std::string_view(column.name)})
            if (!name.empty() && std::ranges::find(names, name) == names.end()) names.emplace_back(name);
    return names;
}

/// The number with some significant digits.
// 1234.56, 3 -> 1230
double rounded(double value, int digits) {
    std::array<char, 64> text;
    const char* const end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, digits - 1).ptr;
    std::from_chars(text.data(), end, value);
    return value;
}

/// The cell as it is written: rounded, and without infinite numbers that are not values of the file.
io::Cell written(io::Cell cell, const TableColumn& column) {
    const auto* real = std::get_if<double>(&cell);
    if (real && std::isinf(*real) && column.family->infinite == ColumnFamily::Infinite::absent) return io::Cell();
    if (real && column.digits > 0 && std::isfinite(*real)) return rounded(*real, column.digits);
    return cell;
}

}  // namespace

ExtraColumns with_images(const IntensityOptions& options, ExtraColumns extras) {
    for (const IntensityImage& image : options.images) extras.images.push_back(image.name);
    extras.percentiles = options.percentiles;
    return extras;
}

void check_image_columns(const IntensityOptions& options) {
    std::set<std::string> columns;
    for (const std::string& column : names_of(table_columns(with_images(options))))
        if (!columns.insert(column).second)
            throw ProgramError(ErrorKind::invalid_argument, "--intensity", "gives two columns the name '" + column + "'",
                               "give each image another name, as in --intensity ct=a.nii.gz --intensity pet=b.nii.gz");
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

std::vector<TableColumn> chosen(std::vector<TableColumn> columns, const TableChoice& choice) {
    std::vector<TableColumn> result;
    for (const std::string& name : choice.columns) {
        const std::vector<TableColumn> named = columns_named(columns, name, Groups::expand);
        if (named.empty())
            throw ProgramError(ErrorKind::invalid_argument, "--columns",
                               "the table has no column '" + name + "'" + nearest_hint(name, choices_of(columns)),
                               "leave the name out, or write it without a unit, as in volume");
        for (const TableColumn& column : named)
            if (std::ranges::find(result, column.name, &TableColumn::name) == result.end()) result.push_back(column);
    }
    if (choice.columns.empty()) result = std::move(columns);
    for (TableColumn& column : result) column.digits = choice.digits;
    return result;
}

TableChoice choice_for(TableChoice choice, const std::string& path, const std::vector<TableColumn>& columns) {
    if (path != "-" || io::table_format(path) != io::TableFormat::aligned) return choice;
    constexpr int digits_on_terminal = 5;
    if (choice.digits == 0) choice.digits = digits_on_terminal;
    if (!choice.columns.empty()) return choice;
    for (const TableColumn& column : columns)
        if (column.family->is_brief) choice.columns.push_back(column.name);
    return choice;
}

std::vector<TableColumn> columns_named(const std::vector<TableColumn>& columns, const std::string& name, Groups groups) {
    std::vector<TableColumn> exact, others;
    for (const TableColumn& column : columns) {
        const ColumnFamily& family = *column.family;
        const bool is_listed = family.repeat == ColumnFamily::Members::listed && (!family.image_cell || groups == Groups::expand);
        const bool is_in_group = groups == Groups::expand && family.group == name;
        if (column.name == name) exact.push_back(column);
        else if (is_in_group || (is_listed && family.members[column.member].stem == name)) others.push_back(column);
    }
    return exact.empty() ? others : exact;
}

std::vector<TableColumn> columns_in_all_units(ExtraColumns extras) {
    extras.form.spaces = {.planes = true, .volumes = true};
    std::vector<TableColumn> all;
    for (const Units units : all_units) {
        extras.form.units = units;
        std::ranges::copy(table_columns(extras), std::back_inserter(all));
    }
    return all;
}

void check_columns(const TableChoice& choice, ExtraColumns extras) { chosen(columns_in_all_units(std::move(extras)), choice); }

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
        if (!family.image_cell) row.push_back(written(family.cell(values, column.member), column));
        else if (column.image < values.images.size())
            row.push_back(written(family.image_cell(values.images[column.image], column.member), column));
        else row.emplace_back();
    }
    return row;
}

}  // namespace voxcc
