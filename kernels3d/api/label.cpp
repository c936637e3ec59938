// Labels volumes with any algorithm of the registry.
#include <voxcc/algorithms.h>
#include <voxcc/labelling.h>

namespace voxcc {
namespace {

[[noreturn]] void refuse_cuda(const Algorithm& algorithm, const Device& device) {
    require_device(device, "device " + name_of(device));
    throw Error(ErrorKind::no_device, "device " + name_of(device), std::string(algorithm.name) + " has no CUDA version");
}

}  // namespace

std::unique_ptr<block_runs::Labelling> label(const Algorithm& algorithm, const Device& device, const block_runs::Request& request,
                                             block_runs::RowSource& source, ThreadPool& pool, const StreamSlabs& slabs) {
    if (slabs.slices > 0 && slabs.slices < request.extent.nz) {
        if (algorithm.is_published() || device.kind != Device::Kind::cpu)
            throw Error(ErrorKind::unsupported, "slices_per_stream_slab", "only block-runs on the CPU processes a volume slab by slab");
        return block_runs::label_streamed(request, source, pool, slabs.slices, slabs.subject);
    }
    require_rule(algorithm, request.rule, device.kind);
    if (!algorithm.runs_on(device.kind)) refuse_cuda(algorithm, device);
    if (algorithm.is_published()) return algorithm.label(algorithm, device, request, source, pool);
    if (device.kind == Device::Kind::cpu) return block_runs::label(request, source, pool);
    return algorithm.label_cuda(request, source, pool, device.numbers);
}

}  // namespace voxcc
