// The options of `voxcc match`.
#pragma once
#include <voxcc/match.h>
#include "src/options/options.h"

namespace voxcc {

struct MatchOptions {
    std::string a, b;
    std::string pairs, stats, json;   // outputs; empty: none
    std::string output;               // B with the numbers of the partners in A; empty: none
    std::optional<ScalarType> dtype;  // of `output`; empty: auto
    int compress = 1;                 // of `output`, 0..9
    io::ZarrForm zarr;                // of a Zarr output
    MatchRule rule;
    io::LengthUnit unit = io::LengthUnit::mm;  // of rule.at, by distance
    Assignment assignment = Assignment::optimal;
    enum class Changes : std::uint8_t { leave_out, add } changes = Changes::leave_out;
    double least_change = 0;  // part of the voxels of an object, from which it has grown or shrunk
    enum class Objects : std::uint8_t { labels, components } objects = Objects::labels;
    int connectivity = 0;        // of components; as in LabelOptions
    std::optional<Units> units;  // of the tables; empty: the unit of the file
    InputOptions input;
    int threads = 0;  // 0: available_threads()
    LabelOptions::Existing existing = LabelOptions::Existing::refuse;
    MessageOptions messages;
};

/// @return the exit code of the program. @throw Error
int run_match(const MatchOptions& options);

}  // namespace voxcc
