// Parses numbers and words that are given for an option. Every function throws Error invalid_argument, which names the option, if the text
// is not exactly one valid value.
#pragma once
#include <voxcc/connectivity.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace voxcc {

/// The text that was given for an option.
struct Argument {
    std::string option, text;  // "--threads", "8"
};

struct WholeRange {
    std::int64_t lowest, highest;  // inclusive
};
struct RealRange {
    double lowest, highest;  // inclusive
};

/// @param remedy remedy of the error; if empty, it names an example
std::int64_t parse_whole(const Argument& argument, WholeRange range, const std::string& remedy = {});
double parse_real(const Argument& argument, RealRange range);
/// As parse_real(), for numbers that are compared with voxels: see bound_in().
Bound parse_bound(const Argument& argument, RealRange range);

/// The parts of a text between commas. "" has one empty part.
std::vector<std::string> split_at_commas(const std::string& text);

/// "X,Y,Z" or "X,Y" in voxels. Each number must be at least 1, their product at most 2^40.
// "64,32" -> {64, 32, 1}
std::array<std::int64_t, 3> parse_shape(const Argument& argument);

/// Finds a name in a list. The error lists all names. @return the index of the name
std::size_t parse_choice(const Argument& argument, const std::vector<std::string>& names);

}  // namespace voxcc
