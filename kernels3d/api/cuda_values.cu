// Block-runs by equal values on CUDA: the instances of the engine.
#include "kernels3d/api/cuda_measures.h"
#include "kernels3d/engine/gpu_slabs/slab_labelling.h"
#include "kernels3d/exec/cuda_executor.h"

namespace voxcc::block_runs::gpu_slabs {

VOXCC_LABEL_SLABS_OF_RULE(template, equal_values, exec::CudaExecutor)

}  // namespace voxcc::block_runs::gpu_slabs
