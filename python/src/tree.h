// Threshold-free cluster enhancement of arrays.
#pragma once
#include "python/src/array.h"

#include <voxcc/tree.h>

namespace voxcc::python {

enum class Sides : std::uint8_t { positive, both };

/// Maps of one shape, one after the other. Both arrays must have C order, native byte order and no gaps.
struct Maps {
    const Array& values;
    const Array& enhanced;  // of f32 or f64; must be 0 before the call
    Extent extent;          // of one map
    std::int64_t count = 1;
};

/// Enhances all maps, each on one thread. @param threads 0: threads_of_call() decides
void enhance_maps(const Maps& maps, const TfceRule& rule, Connectivity connectivity, Sides sides, int threads);

}  // namespace voxcc::python
