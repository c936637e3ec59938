#include "src/pipeline/selector.h"

#include "io/format_names.h"
#include "io/io.h"
#include "src/errors/program_error.h"
#include "src/options/numbers.h"
#include "src/options/test_volume_options.h"
#include "src/pipeline/naming.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace voxcc {
namespace {

/// The text of one selector, for its errors.
struct Text {
    const std::string& selector;
    const std::string& input;

    std::string file() const { return input.substr(0, input.size() - selector.size()); }
    [[noreturn]] void refuse(const std::string& cause, const std::string& remedy) const {
        throw ProgramError(ErrorKind::invalid_argument, input, cause, remedy);
    }
    [[noreturn]] void refuse_form() const {
        refuse("'" + selector + "' is not a valid selector",
               "write [0], [0..4], [c=1,t=0], [c=NAME] or :/DATASET after the name of the file");
    }
};

/// A whole number of at least 0; digits only.
std::optional<std::int64_t> index_in(std::string_view text) {
    if (text.empty() || !std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); })) return std::nullopt;
    return number_in<std::int64_t>(std::string(text));
}

// "3" or "0..4"
NumberRange parse_range(std::string_view range, const Text& text) {
    constexpr std::string_view dots = "..";
    const std::size_t at = range.find(dots);
    const auto first = index_in(range.substr(0, at));
    if (!first) text.refuse_form();
    if (at == std::string_view::npos) return {*first, std::nullopt};
    const auto last = index_in(range.substr(at + dots.size()));
    if (!last) text.refuse_form();
    if (*last < *first)
        text.refuse("the range '" + std::string(range) + "' ends before it starts",
                    "write the smaller number first, as in [" + std::to_string(*last) + ".." + std::to_string(*first) + "]");
    return {*first, *last};
}

/// Whether a text can only be a number or a range.
// "488", "0..4", "-1"  ->  true; "488nm"  ->  false
bool is_numeric(std::string_view text) { return text.find_first_not_of("0123456789.-+") == std::string_view::npos; }

// "\"A,\"\"B\"\"\""  ->  A,"B"
std::string unquoted(std::string_view quoted, const Text& text) {
    std::string name;
    if (quoted.size() < 2 || quoted.back() != '"') text.refuse_form();
    const std::string_view inside = quoted.substr(1, quoted.size() - 2);
    for (std::size_t at = 0; at < inside.size(); ++at) {
        if (inside[at] == '"' && inside.substr(++at, 1) != "\"") text.refuse_form();
        name += inside[at];
    }
    if (name.empty()) text.refuse_form();
    return name;
}

// "c=1", "c=0..4", "c=DAPI", "c=\"DAPI\"" or "c=*"
AxisPositions parse_axis(std::string_view part, const Text& text) {
    if (part.size() < 3 || part[1] != '=' || !std::isalpha(static_cast<unsigned char>(part[0]))) text.refuse_form();
    const char axis = char(std::toupper(static_cast<unsigned char>(part[0])));
    if (std::string_view("XYZ").find(axis) != std::string_view::npos)
        text.refuse("the axis " + std::string(1, axis) + " is part of every volume", "choose c (channel) or t (time point)");
    const std::string_view position = part.substr(2);
    using By = AxisPositions::By;
    if (position == "*") return {.axis = axis, .positions = {}, .by = By::all};
    if (position.front() == '"') return {.axis = axis, .positions = {}, .by = By::name, .name = unquoted(position, text)};
    if (is_numeric(position)) return {.axis = axis, .positions = parse_range(position, text)};
    if (position.find_first_of("=\"") != std::string_view::npos) text.refuse_form();
    return {.axis = axis, .positions = {}, .by = By::name, .name = std::string(position)};
}

/// The end of the first part of a list: its first comma outside quotes, or npos.
std::size_t end_of_part(std::string_view list) {
    bool is_quoted = false;
    for (std::size_t at = 0; at < list.size(); ++at) {
        if (list[at] == '"') is_quoted = !is_quoted;
        if (list[at] == ',' && !is_quoted) return at;
    }
    return std::string_view::npos;
}

// "[3]", "[0..4]", "[c=1,t=0]" or "[c=DAPI]"
void parse_brackets(std::string_view brackets, const Text& text, Selector& selector) {
    if (brackets.size() < 3 || brackets.front() != '[' || brackets.back() != ']') text.refuse_form();
    std::string_view inside = brackets.substr(1, brackets.size() - 2);
    if (inside.find('=') == std::string_view::npos) {
        selector.volumes = parse_range(inside, text);
        return;
    }
    while (true) {
        const std::size_t comma = end_of_part(inside);
        const std::string_view part = inside.substr(0, comma);
        const bool follows_name = !selector.axes.empty() && selector.axes.back().by == AxisPositions::By::name;
        if (follows_name && (part.size() < 2 || part[1] != '='))
            text.refuse("has a comma, after which '" + std::string(part) + "' is not a position on another axis",
                        "put a name with a comma in double quotes, as in '[c=\"A,B\"]'");
        const AxisPositions axis = parse_axis(part, text);
        for (const AxisPositions& earlier : selector.axes)
            if (earlier.axis == axis.axis) text.refuse("gives the axis " + std::string(1, axis.axis) + " twice", "give each axis once");
        selector.axes.push_back(axis);
        if (comma == std::string_view::npos) return;
        inside.remove_prefix(comma + 1);
    }
}

/// Whether a selector may start at `at`. It may be invalid: "a.h5:raw" lacks the '/' of a dataset. "./[3]" is a file name without a
/// selector, because for_cli11() makes it from "[3]". Names of channels can have a '/'.
bool may_start(const std::string& input, std::size_t at) {
    if (at == 0 || (at == 2 && input.starts_with("./"))) return false;
    if (input[at] != '[') return input[at] == ':';
    const bool chooses_axis = input.ends_with(']') && at + 2 < input.size() && input[at + 2] == '=';
    return chooses_axis || input.find('/', at) == std::string::npos;
}

std::string text_of(const NumberRange& range) {
    return std::to_string(range.first) + (range.last ? ".." + std::to_string(*range.last) : "");
}

std::string quoted_name(const std::string& name) {
    std::string text = "\"";
    for (const char c : name) text.append(c == '"' ? 2 : 1, c);
    return text + '"';
}

std::string text_of(const AxisPositions& chosen) {
    const std::string axis = std::string(1, char(std::tolower(static_cast<unsigned char>(chosen.axis)))) + "=";
    switch (chosen.by) {
        case AxisPositions::By::number: return axis + text_of(chosen.positions);
        case AxisPositions::By::all: return axis + "*";
        case AxisPositions::By::name: break;
    }
    const bool is_plain = chosen.name != "*" && !is_numeric(chosen.name) && chosen.name.find_first_of("=\",") == std::string::npos;
    return axis + (is_plain ? chosen.name : quoted_name(chosen.name));
}

}  // namespace

bool Selector::has_range() const {
    const auto is_range = [](const AxisPositions& a) { return a.positions.last.has_value() || a.by == AxisPositions::By::all; };
    return (volumes && volumes->last) || std::ranges::any_of(axes, is_range);
}

SelectedFile divide_input(const std::string& input) {
    if (is_generated(input) || io::is_volume_path(input)) return {input, ""};
    std::optional<std::size_t> of_name;  // the end of a name with the extension of a volume
    for (std::size_t at = input.size(); at-- > 0;) {
        if (!may_start(input, at)) continue;
        const std::string path = input.substr(0, at);
        if (io::is_volume_path(path)) return {path, input.substr(at)};
        if (!of_name && io::has_volume_extension(path)) of_name = at;
    }
    if (!of_name) return {input, ""};
    return {input.substr(0, *of_name), input.substr(*of_name)};
}

Selector parse_selector(const std::string& text, const std::string& input) {
    const Text parsed{text, input};
    Selector selector;
    if (text.empty()) return selector;
    std::size_t brackets = 0;
    if (text.starts_with(':')) {
        if (!text.starts_with(":/")) parsed.refuse_form();
        brackets = text.ends_with(']') ? text.rfind('[') : std::string::npos;
        selector.dataset = text.substr(1, brackets == std::string::npos ? brackets : brackets - 1);
        if (selector.dataset.find_first_not_of('/') == std::string::npos)
            parsed.refuse("':/' names no dataset",
                          "write the path of a dataset, which 'voxcc info' lists, as in " + parsed.file() + ":/raw");
    }
    if (brackets != std::string::npos) parse_brackets(std::string_view(text).substr(brackets), parsed, selector);
    return selector;
}

std::string text_of(const Selector& selector) {
    std::string text = selector.dataset.empty() ? "" : ":" + selector.dataset;
    if (selector.volumes) return text + "[" + text_of(*selector.volumes) + "]";
    std::string axes;
    for (const AxisPositions& chosen : selector.axes) axes += (axes.empty() ? "" : ",") + text_of(chosen);
    return axes.empty() ? text : text + "[" + axes + "]";
}

std::string name_of_selector(const std::string& text) {
    std::string name;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const unsigned char c = static_cast<unsigned char>(text[at]);
        if (text.compare(at, 2, "..") == 0) name += '-', ++at;
        else if (text.compare(at, 2, "=*") == 0) name += "-all", ++at;
        else if (std::isalnum(c) || c >= 0x80 || c == '.' || c == '-' || c == '_') name += text[at];
        else if (c != ']' && c != '=' && c != '"' && !(c == '/' && at > 0 && text[at - 1] == ':')) name += '_';
    }
    return name;
}

}  // namespace voxcc
