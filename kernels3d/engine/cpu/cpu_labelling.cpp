// Instantiates RunLabelling for cross-sections of one row.
#include "kernels3d/engine/cpu/cpu_labelling.h"

namespace voxcc::block_runs {
template class RunLabelling<1, 1, std::uint32_t>;
template class RunLabelling<1, 1, std::uint64_t>;
}  // namespace voxcc::block_runs
