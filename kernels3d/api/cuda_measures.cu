// Shape counts and contacts on CUDA devices, for Rule::foreground.
#include "kernels3d/api/cuda_measures.h"

#include "kernels3d/exec/cuda_executor.h"

namespace voxcc::block_runs::tiles {

VOXCC_COUNT_SHAPES_OF_RULE(template, foreground)
VOXCC_FIND_CONTACTS(c4, template, foreground)
VOXCC_FIND_CONTACTS(c6, template, foreground)
VOXCC_FIND_CONTACTS(c18, template, foreground)

}  // namespace voxcc::block_runs::tiles
