// The published algorithms. They are a library of their own, voxcc::lab. It is installed with this header as voxcc/lab.h.
#pragma once
#include <voxcc/device.h>

namespace voxcc {

/// The published algorithms and their variants. They exist until the program ends. Thread-safe.
std::span<const Algorithm> published_algorithms();

/// Adds the published algorithms to all_algorithms(). Further calls change nothing. Thread-safe.
void add_published_algorithms();

}  // namespace voxcc
