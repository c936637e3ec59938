// Block-runs on CUDA: the tile engine on the CUDA executor.
#include "kernels3d/block_runs/tiles/label.h"
#include "kernels3d/block_runs/tiles/run.h"
#include "kernels3d/exec/cuda.h"
#include "kernels3d/exec/cuda_executor.h"

namespace voxcc::exec {
namespace {

std::unique_ptr<block_runs::Labelling> label(const block_runs::Request& request, block_runs::RowSource& source, ThreadPool& pool,
                                             int device) {
    return block_runs::tiles::label_in_tiles<CudaExecutor>(request, source, pool, [device] {
        use_cuda_device(device);
        return std::make_unique<CudaExecutor>();
    });
}

}  // namespace

CudaLabel cuda_block_runs() { return &label; }
CudaRun cuda_block_runs_on_voxels() { return &block_runs::tiles::run<CudaExecutor>; }

}  // namespace voxcc::exec
