// The published algorithms for the CPU, compiled in parts: one file for all of them takes a minute.
#pragma once
#include <voxcc/device.h>

#include <span>

namespace voxcc::algorithms {

/// The number of parts; must equal cpu_parts in lab/CMakeLists.txt.
inline constexpr std::size_t cpu_parts = 2;

/// One part of Published as rows of the registry, in their order, without their functions for CUDA. Each part is defined in a file of its
/// own, which CMake makes from published_part.cpp.in.
template <std::size_t Part>
std::span<const Algorithm> published_part();

}  // namespace voxcc::algorithms
