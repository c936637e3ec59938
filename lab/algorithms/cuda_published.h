// The published algorithms on CUDA, compiled in parts: one file for all of them takes minutes.
#pragma once
#include "lab/algorithms/cuda_runs.h"

namespace voxcc::exec {

/// The number of parts; must equal cuda_parts in lab/CMakeLists.txt.
inline constexpr std::size_t cuda_parts = 2;

/// The runs of one part of algorithms::Published, in their order. Each part is defined in a file of its own, which CMake makes from
/// cuda_published.cu.in.
template <std::size_t Part>
std::span<const CudaRun> cuda_published();

}  // namespace voxcc::exec
