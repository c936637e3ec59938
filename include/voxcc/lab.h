// The published algorithms. They are a library of their own, voxcc::lab, which also defines measure_run(), count_accesses(),
// compare_values(), describe_cuda() and measure_cuda_stream() (measurements.h).
#pragma once
#include <voxcc/algorithms.h>

namespace voxcc {

/// The published algorithms and their variants. They exist until the program ends. Thread-safe.
std::span<const Algorithm> published_algorithms();

/// Adds the published algorithms to all_algorithms(). Further calls change nothing. Thread-safe.
void add_published_algorithms();

}  // namespace voxcc
