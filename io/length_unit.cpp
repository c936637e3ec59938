#include "io/length_unit.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace voxcc::io {
namespace {

/// A unit is `count` times 10^`power` metres.
struct Unit {
    std::string_view name;
    std::int64_t count = 1;
    int power = 0;
};

// In the order of LengthUnit.
constexpr std::array<Unit, 15> units{{{"km", 1, 3},
                                      {"m", 1, 0},
                                      {"dm", 1, -1},
                                      {"cm", 1, -2},
                                      {"mm", 1, -3},
                                      {"um", 1, -6},
                                      {"nm", 1, -9},
                                      {"angstrom", 1, -10},
                                      {"pm", 1, -12},
                                      {"fm", 1, -15},
                                      {"inch", 254, -4},
                                      {"foot", 3048, -4},
                                      {"yard", 9144, -4},
                                      {"mile", 1609344, -3},
                                      {"mil", 254, -7}}};

using enum LengthUnit;

// Symbols: of SI, OME-XML, NRRD, MetaImage and ImageJ.
constexpr std::pair<std::string_view, LengthUnit> symbols[] = {
    {"km", km},
    {"m", m},
    {"dm", dm},
    {"cm", cm},
    {"mm", mm},
    {"um", um},
    {"nm", nm},
    {"pm", pm},
    {"fm", fm},
    {"in", inch},
    {"\"", inch},
    {"ft", foot},
    {"yd", yard},
    {"mi", mile},
    {"A", angstrom},
    {"\xC2\xB5m", um},           // micro sign in UTF-8
    {"\xCE\xBCm", um},           // mu in UTF-8
    {"\xB5m", um},               // micro sign in Latin-1
    {"\xC3\x85", angstrom},      // A with ring
    {"\xE2\x84\xAB", angstrom},  // angstrom sign
    {"A\xCC\x8A", angstrom},     // A and combining ring
    {"\xC5", angstrom},          // A with ring in Latin-1
};

// The beginnings of "meter", "meters", "metre" and "metres", in lower case.
constexpr std::pair<std::string_view, LengthUnit> metres[] = {
    {"kilomet", km},  {"met", m},      {"decimet", dm}, {"centimet", cm}, {"millimet", mm},
    {"micromet", um}, {"nanomet", nm}, {"picomet", pm}, {"femtomet", fm},
};
// Other words, in lower case: of UDUNITS, which OME-Zarr demands, and of ImageJ.
constexpr std::pair<std::string_view, LengthUnit> words[] = {
    {"micron", um},  {"microns", um},  {"angstrom", angstrom}, {"angstroms", angstrom}, {"\xC3\xA5ngstrom", angstrom},
    {"inch", inch},  {"inches", inch}, {"foot", foot},         {"feet", foot},          {"yard", yard},
    {"yards", yard}, {"mile", mile},   {"miles", mile},        {"thou", mil},           {"mil", mil},
};

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    while (!text.empty() && blanks.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    return text;
}

// "meter", "metres"
bool is_metre_word(std::string_view word, std::string_view begin) {
    if (!word.starts_with(begin)) return false;
    word.remove_prefix(begin.size());
    return word == "er" || word == "ers" || word == "re" || word == "res";
}

// 0.0003, 3 -> 0.3
double times_power_of_ten(double value, int power) {
    constexpr std::size_t exact_digits = 15;
    if (power == 0 || !std::isfinite(value)) return value;
    std::array<char, 40> text{};
    const auto shortest = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
    char* const exponent = std::find(text.data(), shortest.ptr, 'e');
    const auto digits = std::size_t(std::count_if(text.data(), exponent, [](char c) { return c >= '0' && c <= '9'; }));
    if (digits > exact_digits) return power > 0 ? value * std::pow(10.0, power) : value / std::pow(10.0, -power);
    int of_value = 0;
    const char* const first = exponent + (exponent[1] == '+' ? 2 : 1);
    std::from_chars(first, shortest.ptr, of_value);
    char* const end = std::to_chars(exponent + 1, text.data() + text.size(), of_value + power).ptr;
    double product = 0;
    std::from_chars(text.data(), end, product);
    return product;
}

}  // namespace

std::string_view name_of(LengthUnit unit) { return units[std::size_t(unit)].name; }

std::string unit_word(LengthUnit unit) {
    switch (unit) {
        case LengthUnit::km: return "kilometer";
        case LengthUnit::m: return "meter";
        case LengthUnit::dm: return "decimeter";
        case LengthUnit::cm: return "centimeter";
        case LengthUnit::mm: return "millimeter";
        case LengthUnit::um: return "micrometer";
        case LengthUnit::nm: return "nanometer";
        case LengthUnit::pm: return "picometer";
        case LengthUnit::fm: return "femtometer";
        default: return std::string(name_of(unit));
    }
}

std::optional<LengthUnit> length_unit(std::string_view text) {
    text = without_blanks(text);
    for (const auto& [symbol, unit] : symbols)
        if (symbol == text) return unit;
    std::string word(text);
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    for (const auto& [begin, unit] : metres)
        if (is_metre_word(word, begin)) return unit;
    for (const auto& [other, unit] : words)
        if (other == word) return unit;
    return std::nullopt;
}

double converted(double length, LengthUnit from, LengthUnit to) {
    if (from == to) return length;
    const Unit &a = units[std::size_t(from)], &b = units[std::size_t(to)];
    const double shifted = times_power_of_ten(length, a.power - b.power);
    return a.count == b.count ? shifted : shifted * double(a.count) / double(b.count);
}

double AxisUnits::in_common_unit(double length, std::size_t axis) const {
    return axes[axis] ? converted(length, *axes[axis], *axes.front()) : length;
}

AxisUnits units_of_axes(std::span<const std::string> texts) {
    AxisUnits axes_units;
    for (const std::string& text : texts) axes_units.axes.push_back(length_unit(text));
    const bool all_known = std::ranges::all_of(axes_units.axes, [](const auto& unit) { return unit.has_value(); });
    const bool all_same = std::ranges::all_of(texts, [&](const std::string& text) { return text == texts.front(); });
    axes_units.are_comparable = all_known || all_same;
    return axes_units;
}

std::string note_on_units(const std::string& subject, std::span<const std::string> texts) {
    std::string named;
    for (const std::string& text : texts)
        if (const std::string quoted = "'" + text + "'"; named.find(quoted) == std::string::npos)
            named += (named.empty() ? "" : " and ") + quoted;
    return subject + " states lengths in " + named + ", which cannot be compared; the size of the voxels is unknown";
}

}  // namespace voxcc::io
