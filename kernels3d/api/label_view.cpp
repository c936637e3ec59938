// The public entry points for voxels in host memory and for row sources.
#include <voxcc/device.h>
#include <voxcc/label.h>

#include "kernels3d/api/label.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/streamed/streamed_slices.h"

namespace voxcc {
namespace {

const Algorithm& find(std::string_view name) {
    const Algorithm* const algorithm = find_algorithm(name);
    if (!algorithm) throw Error(ErrorKind::no_such_algorithm, "algorithm", "'" + std::string(name) + "' is not an algorithm of this build");
    return *algorithm;
}

block_runs::Request request_for(const Extent& extent, const Question& question, const Execution& execution) {
    block_runs::Request request(question, extent);
    request.results = execution.results;
    request.isa = execution.isa;
    request.memory = execution.memory;
    request.volumes_per_device = execution.volumes_per_device;
    return request;
}

/// The pool of the caller, or else a pool of the labelling.
/// @param kept the source; null if the caller owns it
Labelling::Owned owned_for(const Extent& extent, std::shared_ptr<void> kept, const Execution& execution) {
    Labelling::Owned owned{.extent = extent, .source = std::move(kept), .own_pool = nullptr, .pool = execution.pool};
    if (owned.pool) return owned;
    owned.own_pool = std::make_shared<ThreadPool>(execution.threads > 0 ? execution.threads : available_threads());
    owned.pool = owned.own_pool.get();
    return owned;
}

std::unique_ptr<Labelling> label_rows(std::shared_ptr<void> kept, RowSource& source, const Extent& extent, const Question& question,
                                      const Execution& execution) {
    checked_bytes(extent, 8, "volume");
    Labelling::Owned owned = owned_for(extent, std::move(kept), execution);
    auto labelling = label(find(execution.algorithm), require_device(execution.device, "device"), request_for(extent, question, execution),
                           source, *owned.pool, execution.slices_per_slab, std::string(execution.subject));
    labelling->own(std::move(owned));
    return labelling;
}

/// @throw Error if slices across x or y cannot be labelled like this
void check_slices(const Question& question, const Execution& execution) {
    if (question.connectivity != Connectivity::c4 && question.connectivity != Connectivity::c8)
        throw Error(ErrorKind::invalid_argument, "connectivity", "slices are labelled with c4 or c8");
    if (question.rule == Rule::colour)
        throw Error(ErrorKind::unsupported_by_algorithm, "rule",
                    "slices across x or y are not labelled by " + std::string(name_of(Rule::colour)));
    if (execution.slices_per_slab < 1)
        throw Error(ErrorKind::invalid_argument, "slices_per_slab", "must be at least 1 for slices across x or y");
    if (find(execution.algorithm).is_published() || execution.device.kind != Device::Kind::cpu)
        throw Error(ErrorKind::unsupported, "slices_per_slab", "only block-runs on the CPU labels slices across x or y slab by slab");
}

/// A packer and the source that uses it.
template <class Source>
struct Packed {
    template <class... Arguments>
    Packed(const VolumeView& volume, const ForegroundRule& rule, Arguments&&... arguments)
        : packer(volume.type, rule), source(std::forward<Arguments>(arguments)..., packer) {}
    ForegroundPacker packer;
    Source source;
};

}  // namespace

std::unique_ptr<Labelling> label(RowSource& source, const Extent& extent, const Question& question, const Execution& execution) {
    return label_rows(nullptr, source, extent, question, execution);
}

std::unique_ptr<Labelling> label(const VolumeView& volume, const Question& question, const Execution& execution) {
    checked_bytes(volume.extent, size_of(volume.type), "volume");
    if (execution.slices_per_slab > 0)
        throw Error(ErrorKind::unsupported, "slices_per_slab", "a volume in memory is labelled in one piece; leave it at 0");
    if (volume.strides == dense(volume.extent, size_of(volume.type))) {
        const auto kept = std::make_shared<Packed<MemorySource>>(volume, question.foreground, volume.voxels, volume.extent);
        return label_rows(kept, kept->source, volume.extent, question, execution);
    }
    const auto kept = std::make_shared<Packed<StridedSource>>(volume, question.foreground, volume);
    return label_rows(kept, kept->source, volume.extent, question, execution);
}

std::unique_ptr<Labelling> label_slices(RowSource& source, const Extent& extent, const Question& question, Axis across,
                                        const Execution& execution) {
    if (across == Axis::z) return label(source, extent, question, execution);
    checked_bytes(extent, 8, "volume");
    check_slices(question, execution);
    Labelling::Owned owned = owned_for(extent, nullptr, execution);
    block_runs::Request stored = request_for(extent, question, execution);
    stored.periodic.axes = restore_axes(question.periodic.axes, across);
    const AxisSet ends = block_runs::crossed_axes(stored, across);
    const auto label_plain = [&](const block_runs::Request& plain, RowSource& rows) {
        return std::make_unique<block_runs::StreamedSlices>(
            plain, ends, rows, *owned.pool,
            block_runs::StreamedSlices::Cut{across, execution.slices_per_slab, std::string(execution.subject)});
    };
    auto labelling = block_runs::label_periodic(stored, source, *owned.pool, label_plain, across);
    labelling->own(std::move(owned));
    return labelling;
}

}  // namespace voxcc
