#include "io/length_unit.h"

#include <algorithm>
#include <array>
#include <utility>

namespace voxcc::io {
namespace {

struct Unit {
    std::string_view name;
    double millimetres = 1;  // per unit, or
    double per_millimetre = 1;
};

// In the order of LengthUnit. Dividing by a whole number gives the nearest double: 0.0003 mm for 0.3 um.
constexpr std::array<Unit, 8> units{{{.name = "m", .millimetres = 1000},
                                     {.name = "cm", .millimetres = 10},
                                     {.name = "inch", .millimetres = 25.4},
                                     {.name = "mm"},
                                     {.name = "um", .per_millimetre = 1e3},
                                     {.name = "nm", .per_millimetre = 1e6},
                                     {.name = "angstrom", .per_millimetre = 1e7},
                                     {.name = "pm", .per_millimetre = 1e9}}};

using enum LengthUnit;
constexpr std::pair<std::string_view, LengthUnit> names[] = {
    {"m", m},
    {"meter", m},
    {"meters", m},
    {"metre", m},
    {"metres", m},
    {"cm", cm},
    {"centimeter", cm},
    {"centimeters", cm},
    {"inch", inch},
    {"in", inch},
    {"mm", mm},
    {"millimeter", mm},
    {"millimeters", mm},
    {"millimetre", mm},
    {"millimetres", mm},
    {"um", um},
    {"micron", um},
    {"microns", um},
    {"micrometer", um},
    {"micrometers", um},
    {"micrometre", um},
    {"micrometres", um},
    {"\\u00B5m", um},
    {"\xC2\xB5m", um},  // micro sign in UTF-8
    {"\xCE\xBCm", um},  // mu in UTF-8
    {"\xB5m", um},      // micro sign in Latin-1
    {"nm", nm},
    {"nanometer", nm},
    {"nanometers", nm},
    {"nanometre", nm},
    {"nanometres", nm},
    {"pm", pm},
    {"angstrom", angstrom},
    {"\xC3\x85", angstrom},
    {"\xE2\x84\xAB", angstrom},
};

}  // namespace

std::string_view name_of(LengthUnit unit) { return units[std::size_t(unit)].name; }

std::optional<LengthUnit> length_unit(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    while (!text.empty() && blanks.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    for (const auto& [name, unit] : names)
        if (name == text) return unit;
    return std::nullopt;
}

double in_millimetres(double length, LengthUnit unit) {
    const Unit& u = units[std::size_t(unit)];
    return length * u.millimetres / u.per_millimetre;
}

double from_millimetres(double length, LengthUnit unit) {
    const Unit& u = units[std::size_t(unit)];
    return length * u.per_millimetre / u.millimetres;
}

}  // namespace voxcc::io
