// Implements cuda.h in a build without CUDA.
#include <voxcc/label.h>

#include "kernels3d/api/cuda.h"
#include "kernels3d/engine/request.h"

namespace voxcc::exec {

CudaLabel cuda_block_runs() { return nullptr; }
CudaRun cuda_block_runs_on_voxels() { return nullptr; }

namespace {

[[noreturn]] void refuse() { throw Error(ErrorKind::no_device, "device cuda", why_no_cuda(0)); }

}  // namespace

std::unique_ptr<Labelling> label_in_cuda_slabs(const block_runs::Request&, RowSource&, ThreadPool&, std::span<const int>,
                                               const block_runs::gpu_slabs::Limits&) {
    refuse();
}

block_runs::gpu_slabs::Times time_cuda_slabs(std::span<const int>, const Extent&, Connectivity, const std::uint8_t*, std::uint32_t*) {
    refuse();
}

}  // namespace voxcc::exec
