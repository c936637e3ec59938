#include "kernels3d/api/label.h"
#include "kernels3d/api/algorithm_functions.h"
#include "kernels3d/engine/request.h"

namespace voxcc {
namespace {

[[noreturn]] void refuse_cuda(const Algorithm& algorithm, const Device& device) {
    require_device(device, "device " + name_of(device));
    throw Error(ErrorKind::no_device, "device " + name_of(device), std::string(algorithm.name) + " has no CUDA version");
}

}  // namespace

std::unique_ptr<Labelling> label(const Algorithm& algorithm, const Device& device, const block_runs::Request& request, RowSource& source,
                                 ThreadPool& pool, std::int64_t slices_per_slab, const std::string& subject) {
    if (slices_per_slab > 0 && slices_per_slab < request.extent.nz) {
        if (algorithm.is_published() || device.kind != Device::Kind::cpu)
            throw Error(ErrorKind::unsupported, "slices_per_slab", "only block-runs on the CPU processes a volume slab by slab");
        return block_runs::label_streamed(request, source, pool, slices_per_slab, subject);
    }
    require_rule(algorithm, request.rule, device.kind);
    if (!algorithm.runs_on(device.kind)) refuse_cuda(algorithm, device);
    if (algorithm.is_published()) return algorithm.functions->label(algorithm, device, request, source, pool);
    if (device.kind == Device::Kind::cpu) return block_runs::label(request, source, pool);
    return algorithm.functions->label_cuda(request, source, pool, device.numbers);
}

}  // namespace voxcc
