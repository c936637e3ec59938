// Functions of label images on streams of the caller: shared voxels and new numbers.
#include <voxcc/device.h>
#include <voxcc/match.h>

#include "kernels3d/api/cuda.h"
#include "kernels3d/engine/tiles/count_shared.h"
#include "kernels3d/engine/tiles/map_labels.h"
#include "kernels3d/exec/cuda_executor.h"

namespace voxcc {
namespace {

using block_runs::tiles::LabelVoxels;

void require_integers(ScalarType type) {
    if (type == ScalarType::f32 || type == ScalarType::f64) throw Error(ErrorKind::invalid_argument, "labels", "labels must be integers");
}

LabelVoxels labels_of(const StreamVolume& volume) { return {volume.voxels, volume.type, volume.extent.voxels()}; }

/// The sums of all labels, in the order of their first voxels.
LabelSums sums_on_stream(const StreamVolume& volume) {
    const auto parts = label_on_stream(volume, {.rule = Rule::equal_values});  // 26 neighbours have the fewest parts
    const SumTable sums = parts->measure();
    const std::vector<std::uint64_t> labels = parts->source_values();
    LabelSums of_labels(volume.extent);
    for (std::size_t part = 0; part < labels.size(); ++part) of_labels.add(labels[part], sums[part]);
    return of_labels;
}

}  // namespace

LabelOverlap overlap_on_stream(const StreamVolume& a, const StreamVolume& b) {
    require_integers(a.type), require_integers(b.type);
    if (a.extent != b.extent || a.device != b.device)
        throw Error(ErrorKind::invalid_argument, "labels", "both images must have the same extent and device");
    StreamVolume b_on_stream = b;
    b_on_stream.stream = a.stream;
    const LabelSums sums_a = sums_on_stream(a), sums_b = sums_on_stream(b_on_stream);
    std::vector<SharedByLabels> shared;
    exec::with_stream_executor(a, [&](exec::CudaExecutor& executor) {
        shared = count_shared(executor, labels_of(a), labels_of(b), sums_a.labels().size(), sums_b.labels().size());
    });
    return ordered_overlap(sums_a, sums_b, a.extent, shared);
}

std::vector<std::uint64_t> map_on_stream(const StreamVolume& labels, const NewNumbers& numbers, void* out, ScalarType type) {
    require_integers(labels.type), require_integers(type);
    std::vector<std::uint64_t> found;
    exec::with_stream_executor(labels, [&](exec::CudaExecutor& executor) {
        found = block_runs::tiles::map_labels(executor, labels_of(labels), numbers, out, type);
    });
    return found;
}

}  // namespace voxcc
