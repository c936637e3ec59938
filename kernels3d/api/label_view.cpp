// The public entry points for voxels in host memory and for row sources.
#include <voxcc/label.h>
#include <voxcc/machine.h>
#include <voxcc/memory_source.h>
#include <voxcc/paint.h>
#include <voxcc/strided_source.h>

namespace voxcc {
namespace {

const Algorithm& find(std::string_view name) {
    const Algorithm* const algorithm = find_algorithm(name);
    if (!algorithm) throw Error(ErrorKind::no_such_algorithm, "algorithm", "'" + std::string(name) + "' is not an algorithm of this build");
    return *algorithm;
}

}  // namespace

Labelling& Labelling::operator=(Labelling&& other) noexcept {
    parts_.labelling = nullptr;  // before the threads and the source that it may use
    parts_ = std::move(other.parts_);
    return *this;
}

std::uint64_t Labelling::count() const { return parts_.labelling->count(); }
SumTable Labelling::measure() { return parts_.labelling->measure(); }
std::vector<std::uint64_t> Labelling::source_values() const { return parts_.labelling->source_values(); }

void Labelling::paint(const LabelView& labels, std::span<const std::uint64_t> final_numbers) {
    voxcc::paint(*parts_.labelling, parts_.extent, labels, final_numbers, *parts_.pool);
}

namespace {

Labelling label_rows(std::shared_ptr<void> kept, block_runs::RowSource& source, const Extent& extent, const LabellingOptions& options) {
    checked_bytes(extent, 8, "volume");
    Labelling::Parts parts{.extent = extent, .own_pool = nullptr, .pool = options.pool, .source = std::move(kept), .labelling = nullptr};
    if (!parts.pool) {
        parts.own_pool = std::make_unique<ThreadPool>(options.threads > 0 ? options.threads : available_threads());
        parts.pool = parts.own_pool.get();
    }
    block_runs::Request request;
    request.extent = extent;
    request.connectivity = options.connectivity;
    request.rule = options.rule;
    request.gradient = options.gradient;
    request.periodic = options.periodic;
    parts.labelling = label(find(options.algorithm), require_device(options.device, "device"), request, source, *parts.pool,
                            {.slices = options.slices_per_stream_slab});
    return Labelling(std::move(parts));
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

Labelling label(block_runs::RowSource& source, const Extent& extent, const LabellingOptions& options) {
    return label_rows(nullptr, source, extent, options);
}

Labelling label(const VolumeView& volume, const LabellingOptions& options) {
    checked_bytes(volume.extent, size_of(volume.type), "volume");
    if (options.slices_per_stream_slab > 0)
        throw Error(ErrorKind::unsupported, "slices_per_stream_slab", "a volume in memory is labelled in one piece; leave it at 0");
    if (volume.strides == dense(volume.extent, size_of(volume.type))) {
        const auto kept = std::make_shared<Packed<block_runs::MemorySource>>(volume, options.foreground, volume.voxels, volume.extent);
        return label_rows(kept, kept->source, volume.extent, options);
    }
    const auto kept = std::make_shared<Packed<block_runs::StridedSource>>(volume, options.foreground, volume);
    return label_rows(kept, kept->source, volume.extent, options);
}

}  // namespace voxcc
