// The options of `voxcc tree`.
#pragma once
#include <voxcc/tree.h>
#include "src/options/options.h"

#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// A run reads one volume. Empty paths: no such output.
struct TreeOptions {
    std::string image, mask;
    std::string nodes, counts;                           // tables
    std::string tfce, h_maxima, area_opening, dynamics;  // volumes
    TfceRule rule;                                       // of `tfce`
    double height = 0;                                   // of `h_maxima`: least dynamics
    std::uint64_t least_voxels = 1;                      // of `area_opening`: of a component
    std::vector<double> thresholds;                      // of `counts`; empty: all distinct values
    /// both: only for `tfce`, the values of the positive and of the negative part.
    enum class Sign : std::uint8_t { positive, negative, both } sign = Sign::positive;
    int connectivity = 0;        // as in LabelOptions
    std::optional<Units> units;  // of `nodes`; empty: the unit of the file
    InputOptions input;
    int compress = 1;  // of volumes, 0..9
    int threads = 0;   // for reading and writing; 0: available_threads()
    LabelOptions::Existing existing = LabelOptions::Existing::refuse;
    MessageOptions messages;
};

/// @return the exit code of the program. @throw Error
int run_tree(const TreeOptions& options);

}  // namespace voxcc
