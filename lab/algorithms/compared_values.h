// Converts stored values to the words that published algorithms compare (algorithms::Values).
#pragma once
#include "kernels3d/api/measurements.h"
#include "kernels3d/on_voxels/problem.h"

namespace voxcc {

/// Checks that values of the type can be compared under the rule.
/// @throw Error invalid_argument if the rule is colour and the type is neither u32 nor u64
void check_compared_type(Rule rule, ScalarType type);

/// Appends the words of n values.
/// @param rule must not be Rule::foreground
/// @param values n values of the type; may begin at any byte
void append_words(Rule rule, ScalarType type, const std::byte* values, std::int64_t n, std::vector<std::uint64_t>& words);

/// The values for an algorithm. The result points into `values`.
algorithms::Values values_for(const ComparedValues& values);

}  // namespace voxcc
