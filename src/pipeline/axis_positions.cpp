#include "src/pipeline/axis_positions.h"

#include "src/errors/program_error.h"
#include "src/messages/report.h"
#include "src/options/nearest.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace voxcc {
namespace {

[[noreturn]] void refuse_positions(const std::string& input, const std::string& cause, const std::string& remedy,
                                   ErrorKind kind = ErrorKind::no_such_volume) {
    throw ProgramError(kind, input, cause, remedy);
}

/// "c=0..1"
std::string positions_of(const io::VolumeAxis& axis) {
    const std::string name(1, char(std::tolower(static_cast<unsigned char>(axis.name[0]))));
    return name + "=0" + (axis.size > 1 ? ".." + std::to_string(axis.size - 1) : "");
}

std::string in_lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return text;
}

/// A hint for a name that no position has: the only name that differs in case, else the most similar name; empty without one.
std::string hint_for(const std::string& name, const std::vector<std::string>& names) {
    constexpr std::size_t most_compared = 1000, most_bytes = 256;
    const auto same_letters = [&](const std::string& other) { return in_lower_case(other) == in_lower_case(name); };
    if (std::ranges::count_if(names, same_letters) == 1) return ", nearest: '" + *std::ranges::find_if(names, same_letters) + "'";
    if (name.size() > most_bytes) return "";
    return nearest_hint(name, {names.begin(), names.begin() + std::ptrdiff_t(std::min(names.size(), most_compared))});
}

/// Where the names of a selector have become numbers.
NumberRange positions_in(const std::string& input, const AxisPositions& chosen, const io::VolumeAxis& axis) {
    switch (chosen.by) {
        case AxisPositions::By::all: return {0, axis.size - 1};
        case AxisPositions::By::name: return {position_named(input, chosen.name, axis), std::nullopt};
        case AxisPositions::By::number: break;
    }
    const std::int64_t last = chosen.positions.last.value_or(chosen.positions.first);
    if (last < axis.size) return chosen.positions;
    const bool is_name = !chosen.positions.last && std::ranges::find(axis.positions, std::to_string(last)) != axis.positions.end();
    const std::string number = std::to_string(last);
    refuse_positions(
        input, "has no position " + number + " on its axis " + axis.name + ", which has " + counted(std::uint64_t(axis.size), "position"),
        "choose from [" + positions_of(axis) + "]" +
            (is_name ? ", or write the name " + number + " in double quotes, as in '[c=\"" + number + "\"]'" : ""));
}

}  // namespace

std::vector<io::VolumeAxis> selectable_axes(const io::VolumeInfo& info) {
    std::vector<io::VolumeAxis> axes = info.volume_axes;
    if (info.page_axes.empty()) return axes;
    for (const char* name : {"C", "T"}) {
        const auto is_same = [&](const io::VolumeAxis& axis) { return axis.name == name; };
        if (std::ranges::any_of(axes, is_same)) continue;
        const auto single = std::ranges::find_if(info.page_axes, is_same);
        axes.push_back(single == info.page_axes.end() ? io::VolumeAxis{name, 1} : *single);
    }
    return axes;
}

const io::VolumeAxis& axis_named(const std::string& input, char name, const std::vector<io::VolumeAxis>& axes) {
    const std::string text(1, name);
    if (axes.empty())
        refuse_positions(input, "has no axis " + text + ", because the file does not name the axes of its volumes",
                         "choose a volume by its number, as in [0]");
    const auto is_chosen = [&](const io::VolumeAxis& axis) { return axis.name == text; };
    const auto axis = std::ranges::find_if(axes, is_chosen);
    if (axis == axes.end()) {
        std::string all;
        for (const io::VolumeAxis& other : axes) all += (all.empty() ? "" : ",") + positions_of(other);
        refuse_positions(input, "has no axis " + text, "choose from [" + all + "]");
    }
    if (std::ranges::count_if(axes, is_chosen) > 1)
        refuse_positions(input, "has several axes " + text, "choose a volume by its number, as in [0]");
    return *axis;
}

std::int64_t position_named(const std::string& input, const std::string& name, const io::VolumeAxis& axis) {
    const std::string noun = axis.name == "C" ? "channel" : "position on its axis " + axis.name;
    const std::string by_number = "choose by number, from [" + positions_of(axis) + "]";
    if (axis.positions.empty()) {
        const std::string why = axis.ignored_names.empty() ? "states no names of its axis " + axis.name : axis.ignored_names;
        refuse_positions(input, why + ", so '" + name + "' cannot be found", by_number);
    }
    const auto first = std::ranges::find(axis.positions, name);
    if (first == axis.positions.end())
        refuse_positions(input, "has no " + noun + " with the name '" + name + "'" + hint_for(name, axis.positions),
                         "choose from " + io::listed_names(axis.positions));
    const auto second = std::find(first + 1, axis.positions.end(), name);
    const auto number_of = [&](auto position) { return std::to_string(position - axis.positions.begin()); };
    if (second != axis.positions.end())
        refuse_positions(input,
                         "has the name '" + name + "' twice: at the positions " + number_of(first) + " and " + number_of(second) +
                             " of its axis " + axis.name,
                         by_number);
    return first - axis.positions.begin();
}

std::vector<std::int64_t> numbers_of(const std::string& input, const Selector& selector, const io::VolumeInfo& info) {
    const std::vector<io::VolumeAxis> axes = selectable_axes(info);
    for (const AxisPositions& chosen : selector.axes) positions_in(input, chosen, axis_named(input, chosen.axis, axes));
    std::vector<std::int64_t> numbers{0};
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        const auto chosen = std::ranges::find_if(selector.axes, [&](const AxisPositions& c) { return axis->name[0] == c.axis; });
        if (chosen == selector.axes.end() && axis->size > 1)
            refuse_positions(
                input, "does not choose from the " + counted(std::uint64_t(axis->size), "position") + " of the axis " + axis->name,
                "add a position, as in [" + positions_of({axis->name, 1}) + "], or a range, as in [" + positions_of(*axis) + "]",
                ErrorKind::several_volumes);
        const NumberRange range = chosen == selector.axes.end() ? NumberRange{} : positions_in(input, *chosen, *axis);
        std::vector<std::int64_t> next;
        for (const std::int64_t number : numbers)
            for (std::int64_t p = range.first; p <= range.last.value_or(range.first); ++p) next.push_back(number * axis->size + p);
        numbers = std::move(next);
    }
    return numbers;
}

std::vector<io::VolumeAxis> axes_along(const std::vector<std::int64_t>& numbers, const std::vector<io::VolumeAxis>& axes) {
    std::vector<io::VolumeAxis> chosen;
    std::int64_t stride = 1, combinations = 1;
    for (const io::VolumeAxis& axis : axes) {
        std::set<std::int64_t> positions;
        for (const std::int64_t number : numbers) positions.insert(number / stride % axis.size);
        if (positions.size() > 1) chosen.push_back({axis.name, std::int64_t(positions.size())});
        combinations *= std::int64_t(positions.size());
        stride *= axis.size;
    }
    if (!axes.empty() && combinations != std::int64_t(numbers.size())) return {{"", std::int64_t(numbers.size())}};
    return chosen;
}

}  // namespace voxcc
