// Shape counts and contacts on CUDA devices, for Rule::equal_values.
#include "kernels3d/api/cuda_measures.h"

#include "kernels3d/exec/cuda_executor.h"

namespace voxcc::block_runs::tiles {

VOXCC_COUNT_SHAPES_OF_RULE(template, equal_values)
VOXCC_FIND_CONTACTS(c4, template, equal_values)
VOXCC_FIND_CONTACTS(c6, template, equal_values)

}  // namespace voxcc::block_runs::tiles
