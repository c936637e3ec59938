// Labellings by equal values on streams: the instances of the engine.
#include "kernels3d/api/cuda_measures.h"
#include "kernels3d/engine/tiles/resident_labelling.h"
#include "kernels3d/exec/cuda_executor.h"

namespace voxcc::block_runs::tiles {

VOXCC_MAKE_RESIDENT_OF_RULE(template, equal_values, exec::CudaExecutor)

}  // namespace voxcc::block_runs::tiles
