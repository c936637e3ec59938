// Texts of the command line, the environment and the configuration file as values. Every function throws Error invalid_argument, naming the
// option, for a text that is not exactly one value of its kind.
#pragma once
#include "src/cli/options.h"

namespace voxcc {

/// A text and the option that it was given to.
struct Argument {
    std::string option, text;  // "--threads", "8"
};

struct WholeRange {
    std::int64_t lowest, highest;
};
struct RealRange {
    double lowest, highest;  // both inside
};

std::int64_t parse_whole(const Argument& argument, WholeRange range);
double parse_real(const Argument& argument, RealRange range);

/// A path as it stands. What starts with '-' is taken for a forgotten value followed by the next option; "-" alone passes.
std::string parse_path(const Argument& argument);

/// "X,Y,Z": mm, positive and finite.
std::array<double, 3> parse_spacing(const Argument& argument);

/// "X,Y,Z" or "X,Y" (one slice): voxels, at least 1 each, 2^40 together at most.
std::array<std::int64_t, 3> parse_shape(const Argument& argument);

/// "8GiB", "500MB", "1.5G", "100000": bytes, at least 1. K M G T and KiB MiB GiB TiB are powers of 1024, KB MB GB TB of 1000.
std::int64_t parse_bytes(const Argument& argument);

/// "100" (voxels) or "5mm3".
SizeLimit parse_size_limit(const Argument& argument);

/// A 0-based number or "all".
std::string parse_volume(const Argument& argument);

/// Some of x, y and z, each once.
std::string parse_axes(const Argument& argument);

/// "auto", "cpu", "cuda" or "cuda:N".
std::string parse_device(const Argument& argument);

/// One name of a list. @return its place. The error lists all names.
std::size_t parse_choice(const Argument& argument, const std::vector<std::string>& names);

}  // namespace voxcc
