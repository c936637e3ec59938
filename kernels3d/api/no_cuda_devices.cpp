// Implements the functions of voxcc/device.h in a build without CUDA, and states that no device can be used.
#include <voxcc/device.h>
#include <voxcc/error.h>
#include <voxcc/match.h>
#include "kernels3d/api/measurements.h"

#include "kernels3d/api/cuda.h"

namespace voxcc {

std::string exec::why_no_cuda(int) { return "this build has no CUDA back end"; }

namespace {

[[noreturn]] void refuse() { throw Error(ErrorKind::no_device, "device cuda", exec::why_no_cuda(0)); }

}  // namespace

void exec::start_cuda_devices(std::span<const int>) { refuse(); }

std::unique_ptr<StreamLabelling> label_on_stream(const StreamVolume&, const Question&, const StreamMask&) { refuse(); }
TableTimes measure_cuda_tables(int, const void*, ScalarType, const Extent&, Connectivity, Rule, int) { refuse(); }
std::unique_ptr<RowSource> rows_on_stream(const StreamVolume&) { refuse(); }
LabelOverlap overlap_on_stream(const StreamVolume&, const StreamVolume&) { refuse(); }
std::vector<std::uint64_t> map_on_stream(const StreamVolume&, const NewNumbers&, void*, ScalarType) { refuse(); }
void wait_for_stream(int, void*, void*) { refuse(); }
int device_of_address(const void*) { refuse(); }
bool has_cuda_driver() { return false; }
void release_stream_memory() {}
std::unique_ptr<StreamBuffer> stream_buffer(int, std::size_t) { refuse(); }

}  // namespace voxcc
