// The options of `voxcc match`.
#pragma once
#include <voxcc/match.h>
#include "src/options/options.h"

#include <string>
#include <vector>

namespace voxcc {

/// What only a series has: the volumes of one input, which are frames.
struct SeriesOptions {
    std::string links;                // table; empty: none
    std::vector<std::string> tracks;  // tables, .txt of the Cell Tracking Challenge, .geff
    double inside = 0.5;              // see LinkRule
    std::optional<Distance> reach;    // see LinkRule; empty: none
};

/// A run compares one or several pairs of volumes. Words in braces in `b` and in the names of outputs stand for parts of the name of A.
struct MatchOptions {
    std::vector<std::string> inputs;  // A of each pair that is typed
    std::string list;                 // path of a list of further A; empty: none
    std::string a, b;                 // of one pair, or `a` of a series, where b is empty
    SeriesOptions series;
    LabelOptions::Companions companions = LabelOptions::Companions::of_each_input;  // whether all A have the same B
    std::string pairs, stats, json;                                                 // outputs; empty: none
    std::string summary;                                                            // table with one row per pair; empty: none
    std::string failed;                                                             // list of the A that failed; empty: none
    std::string output;               // B with the numbers of the partners in A; the series with the numbers of its tracks; empty: none
    std::optional<ScalarType> dtype;  // of `output`; empty: auto
    int compress = 1;                 // of `output`, 0..9
    io::ZarrForm zarr;                // of a Zarr output
    MatchRule rule;
    io::LengthUnit unit = io::LengthUnit::mm;  // of rule.at, by distance
    Assignment assignment = Assignment::optimal;
    enum class Changes : std::uint8_t { leave_out, add } changes = Changes::leave_out;
    double least_change = 0;              // part of the voxels of an object, from which it has grown or shrunk
    std::int64_t dilation = 0;            // number of dilations of lesions: see DilatedLesions
    std::optional<SizeLimit> min_lesion;  // least size of a lesion
    enum class Objects : std::uint8_t { labels, components } objects = Objects::labels;
    int connectivity = 0;        // of components and of dilated lesions; as in LabelOptions
    std::optional<Units> units;  // of the tables; empty: the unit of the file
    InputOptions input;
    int threads = 0;  // 0: available_threads()
    LabelOptions::Existing existing = LabelOptions::Existing::refuse;
    MessageOptions messages;
};

/// Whether a run compares several pairs, or the pairs of a list.
inline bool is_batch(const MatchOptions& options) { return options.inputs.size() > 1 || !options.list.empty(); }

/// @return the exit code of the program. @throw Error
int run_match(const MatchOptions& options);
/// Follows the objects of a series, which is options.a.
int run_match_series(const MatchOptions& options);

}  // namespace voxcc
