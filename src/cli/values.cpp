#include "src/cli/values.h"

#include <voxcc/device.h>
#include "io/files/checked_file.h"
#include "src/errors/program_error.h"
#include "src/options/numbers.h"
#include "src/pipeline/selector.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>

namespace voxcc {
namespace {

[[noreturn]] void refuse(const Argument& argument, const std::string& cause, const std::string& remedy = {}) {
    throw ProgramError(ErrorKind::invalid_argument, argument.option, "'" + argument.text + "' " + cause, remedy);
}

std::optional<double> bytes_of_unit(std::string_view unit) {
    if (unit.empty() || unit == "B") return 1;
    const std::size_t power = std::string_view("KMGT").find(unit.front());
    if (power == std::string_view::npos) return std::nullopt;
    unit.remove_prefix(1);
    if (unit.empty() || unit == "iB") return std::pow(1024.0, double(power + 1));
    if (unit == "B") return std::pow(1000.0, double(power + 1));
    return std::nullopt;
}

/// A number and the unit behind it, without the blanks around both.
// " 5 mm3" -> {"5", "mm3"}; "5 m m3" -> {"5", "m m3"}
std::pair<std::string_view, std::string_view> split_at_unit(std::string_view text) {
    const auto trimmed = [](std::string_view part) {
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        return part;
    };
    text = trimmed(text);
    const std::size_t end = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
    return {trimmed(text.substr(0, end)), trimmed(text.substr(end))};
}

/// A number that is not negative.
std::optional<double> amount_in(std::string_view number) {
    const auto amount = number_in<double>(number);
    if (!amount || !(*amount >= 0)) return std::nullopt;
    return *amount + 0.0;  // -0 is 0
}

/// The units of sizes and distances. Metres and longer units are not among them: in "5m3", a letter is missing.
std::optional<io::LengthUnit> unit_of_components(std::string_view text) {
    const auto unit = io::length_unit(text);
    if (!unit) return std::nullopt;
    switch (*unit) {
        case io::LengthUnit::cm:
        case io::LengthUnit::mm:
        case io::LengthUnit::um:
        case io::LengthUnit::nm:
        case io::LengthUnit::angstrom:
        case io::LengthUnit::pm: return unit;
        default: return std::nullopt;
    }
}

/// A unit of areas or volumes, or a multiple of it.
struct SizeUnit {
    io::LengthUnit unit;
    Space space;
    double factor = 1;
};

// "mm3", "um^2", "ml"
std::optional<SizeUnit> size_unit(std::string_view text) {
    constexpr double cubic_millimetres = 1000;
    if (text == "ml" || text == "mL") return SizeUnit{io::LengthUnit::mm, Space::volume, cubic_millimetres};
    static constexpr std::pair<std::string_view, Space> powers[] = {{"^3", Space::volume},      {"\xC2\xB3", Space::volume},
                                                                    {"3", Space::volume},       {"^2", Space::plane},
                                                                    {"\xC2\xB2", Space::plane}, {"2", Space::plane}};
    for (const auto& [power, space] : powers) {
        if (!text.ends_with(power)) continue;
        text.remove_suffix(power.size());
        const auto length = text.ends_with(' ') ? std::nullopt : unit_of_components(text);
        return length ? std::optional(SizeUnit{*length, space}) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<SizeLimit> size_limit_in(std::string_view text) {
    const auto [number, unit_text] = split_at_unit(text);
    if (unit_text.empty() || unit_text == "vox" || unit_text == "voxel" || unit_text == "voxels") {
        const auto voxels = number_in<std::int64_t>(number);
        if (!voxels || *voxels < 0 || *voxels > std::int64_t{1} << 53) return std::nullopt;
        return SizeLimit{double(*voxels)};
    }
    const auto amount = amount_in(number);
    const auto unit = size_unit(unit_text);
    if (!amount || !unit || !std::isfinite(*amount * unit->factor)) return std::nullopt;
    return SizeLimit{*amount * unit->factor, unit->unit, unit->space};
}

}  // namespace

std::string parse_path(const Argument& argument) {
    if (argument.text.empty()) refuse(argument, "is not a path", "give a path");
    if (argument.text.size() > 1 && argument.text.front() == '-' && !io::is_stdout(argument.text))
        refuse(argument, "looks like an option", "give a value, or write ./" + argument.text + " if that is the file's name");
    return argument.text;
}

io::VoxelSize parse_spacing(const Argument& argument) {
    const auto wrong = [&](const std::string& cause) {
        refuse(argument, cause, "write X,Y,Z in mm, as in 0.5,0.5,2, or with a unit, as in 0.26,0.26,0.29um");
    };
    const std::vector<std::string> parts = split_at_commas(argument.text);
    io::VoxelSize size;
    if (parts.size() != size.steps.size()) wrong("is not three numbers");
    std::vector<std::string_view> units;
    for (std::size_t axis = 0; axis < parts.size(); ++axis) {
        const auto [number, unit] = split_at_unit(parts[axis]);
        const auto value = number_in<double>(number);
        if (!value || !std::isfinite(*value) || *value <= 0) wrong("is not three positive numbers");
        size.steps[axis] = *value;
        if (!unit.empty()) units.push_back(unit);
    }
    if (units.empty()) return size;
    const bool is_at_end = units.size() == 1 && !split_at_unit(parts.back()).second.empty();
    if (!is_at_end && units.size() != parts.size()) wrong("has a unit for some of the numbers");
    if (std::ranges::any_of(units, [&](std::string_view unit) { return unit != units.front(); })) wrong("has several units");
    const auto unit = io::length_unit(units.front());
    if (!unit) wrong("has the unknown unit '" + std::string(units.front()) + "'");
    size.unit = *unit;
    return size;
}

GridTolerance parse_tolerance(const Argument& argument) {
    if (argument.text == "ignore") return {.compare = GridTolerance::Compare::nothing};
    const auto [number, text] = split_at_unit(argument.text);
    const auto amount = amount_in(number);
    const bool is_part = text.empty() || text == "vox" || text == "voxel" || text == "voxels";
    const auto unit = unit_of_components(text);
    if (!amount || !std::isfinite(*amount) || (!is_part && !unit))
        refuse(argument, "is not a valid distance", "write a part of a voxel, as in 0.1, a length, as in 0.5mm, or 'ignore'");
    return {.amount = *amount, .unit = is_part ? std::nullopt : unit};
}

IntensityImage parse_intensity(const Argument& argument) {
    const std::string text = parse_path(argument);
    const std::size_t at = text.find('=');
    std::error_code unknown;
    if (at == std::string::npos || std::filesystem::exists(divide_input(text).path, unknown)) return {"", text};
    const std::string name = text.substr(0, at);
    const auto is_in_word = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    if (name.empty() || !std::ranges::all_of(name, is_in_word) || std::isdigit(static_cast<unsigned char>(name.front()))) return {"", text};
    if (at + 1 == text.size()) refuse(argument, "names no file", "write NAME=PATH, as in ct=scan.nii.gz");
    return {name, text.substr(at + 1)};
}

std::vector<double> parse_percentiles(const Argument& argument) {
    std::vector<double> percentiles;
    for (const std::string& part : split_at_commas(argument.text)) {
        const auto value = number_in<double>(part);
        if (!value || !(*value >= 0 && *value <= 100))
            refuse(argument, "is not a list of percentages from 0 to 100", "write them as in 5,50,95");
        if (std::ranges::find(percentiles, *value) != percentiles.end())
            refuse(argument, "contains " + shortest_text(*value) + " twice", "write each percentage once");
        percentiles.push_back(*value == 0 ? 0.0 : *value);  // -0 is 0
    }
    return percentiles;
}

std::vector<std::string> parse_columns(const Argument& argument) {
    std::vector<std::string> columns;
    for (const std::string& name : split_at_commas(argument.text)) {
        if (name.empty()) refuse(argument, "contains an empty name", "write names as in label,size,centroid");
        if (std::ranges::find(columns, name) != columns.end()) refuse(argument, "contains '" + name + "' twice", "write each name once");
        columns.push_back(name);
    }
    return columns;
}

std::int64_t parse_bytes(const Argument& argument) {
    const std::size_t digits = std::min(argument.text.find_first_not_of("0123456789."), argument.text.size());
    const auto amount = number_in<double>(argument.text.substr(0, digits));
    const auto unit = bytes_of_unit(argument.text.substr(digits));
    if (!amount || !unit) refuse(argument, "is not an amount of memory", "write bytes, or a number with a unit, as in 8GiB or 500MB");
    const double bytes = *amount * *unit;
    if (bytes < 1 || bytes > 9e18) refuse(argument, "is out of range", "use for example 8GiB or 500MB");
    return std::int64_t(bytes);
}

SizeLimit parse_size_limit(const Argument& argument) {
    const auto limit = size_limit_in(argument.text);
    if (!limit)
        refuse(argument, "is not a valid size", "write voxels, as in 100, a volume, as in 5mm3 or 0.5ml, or in 2D an area, as in 5mm2");
    return *limit;
}

Distance parse_distance(const Argument& argument) {
    const auto [number, text] = split_at_unit(argument.text);
    const auto amount = amount_in(number);
    const auto unit = text.empty() ? std::optional(io::LengthUnit::mm) : unit_of_components(text);
    if (!amount || !unit || !std::isfinite(*amount))
        refuse(argument, "is not a valid distance", "write mm, as in 8, or a number with a unit, as in 8mm or 500um");
    return {*amount, *unit};
}

PartRange parse_part_range(const Argument& argument) {
    const std::size_t dots = argument.text.find("..");
    const auto first = number_in<std::int64_t>(std::string_view(argument.text).substr(0, dots));
    const auto last = dots == std::string::npos ? first : number_in<std::int64_t>(std::string_view(argument.text).substr(dots + 2));
    if (!first || !last || *first < 0 || *last < *first)
        refuse(argument, "is neither a number nor a range", "write a number, as in 3, or a range, as in 0..31");
    return {*first, *last};
}

std::string parse_volume(const Argument& argument) {
    if (argument.text == "all") return argument.text;
    const auto index = number_in<std::int64_t>(argument.text);
    if (!index || *index < 0) refuse(argument, "is neither a number counted from 0 nor 'all'", "use a number such as 0");
    return std::to_string(*index);
}

std::string parse_axes(const Argument& argument) {
    constexpr const char *axes_expected = "does not consist of the letters x, y and z, each at most once",
                         *axes_remedy = "use for example xy";
    std::string axes;
    for (const char axis : argument.text) {
        if (std::string_view("xyz").find(axis) == std::string_view::npos || axes.find(axis) != std::string::npos)
            refuse(argument, axes_expected, axes_remedy);
        axes += axis;
    }
    if (axes.empty()) refuse(argument, axes_expected, axes_remedy);
    return axes;
}

std::string parse_device(const Argument& argument) {
    if (argument.text == "auto" || device_of(argument.text)) return argument.text;
    refuse(argument, "is not a valid device", "choose from: auto " + std::string(device_texts));
}

}  // namespace voxcc
