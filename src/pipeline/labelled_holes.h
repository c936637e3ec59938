// Fills holes if the rule compares values: a hole takes the label around it if exactly one label touches its faces. Other holes stay
// background.
//
//   1. The foreground is labelled without its holes. The key of a component is the place of its value among the values of all components
//      (Rule::equal_values: components of one value are one label), or its number (Rule::gradient, Rule::colour).
//   2. Each hole gets the key that its face neighbours share.
//   3. The values of the volume are replaced by keys, also in the holes. Labelling the keys by Rule::equal_values gives the components.
#pragma once
#include "src/pipeline/holes.h"

namespace voxcc {

/// Values of a volume by which its components with their holes are labelled.
struct HoleKeys {
    std::vector<std::uint64_t> values;  // Rule::equal_values: the value that a key stands for, by key - 1; else empty
    /// The values that keys stand for. @return empty if keys are numbers of components
    std::vector<std::uint64_t> values_of(std::vector<std::uint64_t> keys) const;
};

/// Fills the holes of a volume in memory, and replaces its values by keys. The volume must then be labelled by Rule::equal_values.
/// @param held with values
/// @param question of the foreground; the rule is not Rule::foreground
/// @param execution of the labelling of the foreground, with Results::labels_and_sums
/// @param memory limit for runs and components; null: none
/// @throw MemoryLimitReached
// equal values, 2D with connectivity 4:  5 5 5 0 7 7  ->  keys 1 1 1 0 2 2, because a hole that lies between 5 and 7 stays background
//                                        5 0 5 0 0 7           1 1 1 0 0 2
//                                        5 5 5 0 7 7           1 1 1 0 2 2
HoleKeys fill_labelled_holes(VolumeBits& held, const Question& question, const HoleRule& rule, const Execution& execution, ThreadPool& pool,
                             MemoryLimit* memory);

/// The type of the keys of a volume.
ScalarType key_type(const Extent& extent);

}  // namespace voxcc
