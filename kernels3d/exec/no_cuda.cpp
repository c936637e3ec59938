// The build without CUDA.
#include "kernels3d/exec/cuda.h"

namespace voxcc::exec {

std::span<const CudaRun> cuda_runs() { return {}; }

CudaLabel cuda_block_runs() { return nullptr; }

std::string why_no_cuda(int) { return "this build has no CUDA back end"; }

PublishedRun run_on_cuda(CudaRun, int, const algorithms::Problem&) {
    throw Error(ExitCode::no_device, "--device cuda", "this build has no CUDA back end", "use --device cpu or auto");
}

}  // namespace voxcc::exec
