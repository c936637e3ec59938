// Implements cuda_runs.h, and the functions of kernels3d/api/measurements.h for CUDA devices, in a build without CUDA.
#include "lab/algorithms/cuda_runs.h"

#include "kernels3d/api/measurements.h"

#include <voxcc/device.h>
#include <voxcc/error.h>

namespace voxcc {
namespace {

[[noreturn]] void refuse() { throw Error(ErrorKind::no_device, "device cuda", why_no_cuda(0)); }

}  // namespace

CudaDevice describe_cuda(int) { refuse(); }

double measure_cuda_stream(int, std::int64_t) { refuse(); }

namespace exec {

std::span<const CudaRun> cuda_runs() { return {}; }

PublishedRun run_on_cuda(CudaRun, int, const algorithms::Problem&, Timing, Allocation) { refuse(); }

}  // namespace exec
}  // namespace voxcc
