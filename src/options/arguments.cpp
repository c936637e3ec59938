#include "src/options/arguments.h"

#include "src/errors/program_error.h"
#include "src/options/nearest.h"
#include "src/options/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace voxcc {
namespace {

[[noreturn]] void refuse(const Argument& argument, const std::string& cause, const std::string& remedy = {}) {
    throw ProgramError(ErrorKind::invalid_argument, argument.option, "'" + argument.text + "' " + cause, remedy);
}

/// A number in the middle of a range, for remedies.
std::int64_t example_in(WholeRange range) { return std::clamp<std::int64_t>(4, range.lowest, range.highest); }
double example_in(RealRange range) { return range.highest <= 1 ? 0.5 : std::clamp(10.0, range.lowest, range.highest); }

/// " from 1 to 4096"; " of at least 1" if the range has no practical limit
std::string text_of(WholeRange range) {
    if (range.highest == std::numeric_limits<std::int64_t>::max()) return " of at least " + std::to_string(range.lowest);
    return " from " + std::to_string(range.lowest) + " to " + std::to_string(range.highest);
}

std::string shown(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15) return std::to_string(std::int64_t(value));
    return shortest_text(value);
}

}  // namespace

std::vector<std::string> split_at_commas(const std::string& text) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == ',') parts.emplace_back();
        else parts.back() += c;
    }
    return parts;
}

std::int64_t parse_whole(const Argument& argument, WholeRange range, const std::string& remedy) {
    const auto value = number_in<std::int64_t>(argument.text);
    if (!value || *value < range.lowest || *value > range.highest)
        refuse(argument, "is not a whole number" + text_of(range),
               remedy.empty() ? "use a number such as " + std::to_string(example_in(range)) : remedy);
    return *value;
}

Bound parse_bound(const Argument& argument, RealRange range) {
    const auto value = bound_in(argument.text);
    if (!value || !(*value >= range.lowest && *value <= range.highest))
        refuse(argument, "is not a number from " + shown(range.lowest) + " to " + shown(range.highest),
               "use a number such as " + shown(example_in(range)));
    return *value;
}

double parse_real(const Argument& argument, RealRange range) { return parse_bound(argument, range).real; }

std::array<std::int64_t, 3> parse_shape(const Argument& argument) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    const std::vector<std::string> parts = split_at_commas(argument.text);
    if (parts.size() != 2 && parts.size() != 3) refuse(argument, "is not two or three whole numbers", "write X,Y,Z, as in 256,256,100");
    std::array<std::int64_t, 3> shape{1, 1, 1};
    std::int64_t voxels = 1;
    for (std::size_t axis = 0; axis < parts.size(); ++axis) {
        shape[axis] = parse_whole({argument.option, parts[axis]}, {1, most});
        if (__builtin_mul_overflow(voxels, shape[axis], &voxels) || voxels > most)
            refuse(argument, "is more than 2^40 voxels", "use smaller numbers");
    }
    return shape;
}

std::size_t parse_choice(const Argument& argument, const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), argument.text);
    if (found != names.end()) return std::size_t(found - names.begin());
    std::string all;
    for (const std::string& name : names) all += " " + name;
    refuse(argument, "is not a valid value" + nearest_hint(argument.text, names), "choose from:" + all);
}

}  // namespace voxcc
