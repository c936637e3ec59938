#include "src/pipeline/largest_components.h"

#include <algorithm>
#include <cmath>

namespace voxcc {
namespace {

std::vector<std::uint64_t> largest_labels(const LabelledComponents& components, const Selection& selection, std::size_t most) {
    struct Sized {
        std::uint64_t label, voxels;
    };
    std::vector<Sized> largest;
    const auto is_before = [](const Sized& a, const Sized& b) { return a.voxels > b.voxels; };
    for (std::uint64_t label = 1; label <= selection.count; ++label) {
        const Sized next{label, components.sums.voxels(std::size_t(selection.row_of(label)))};
        if (largest.size() == most && !is_before(next, largest.back())) continue;
        if (largest.size() == most) largest.pop_back();
        largest.insert(std::ranges::upper_bound(largest, next, is_before), next);
    }
    std::vector<std::uint64_t> labels;
    for (const Sized& sized : largest) labels.push_back(sized.label);
    return labels;
}

}  // namespace

LargestComponents largest_components(const LabelledComponents& components, const Selection& selection, const Extent& extent,
                                     std::size_t most) {
    LargestComponents largest{largest_labels(components, selection, most), {}, {}};
    if (largest.empty()) return largest;
    const WideSums sums = components.sums[std::size_t(selection.row_of(largest.labels.front()))];
    const auto mean = [&](std::uint64_t sum) { return double(sum) / double(sums.n); };
    largest.centroid = restore_axes(std::array{mean(sums.x), mean(sums.y), mean(sums.z)}, components.engine_slices);
    const std::array<double, 3> extents{double(extent.nx), double(extent.ny), double(extent.nz)};
    for (std::size_t axis = 0; axis < 3; ++axis) largest.centroid[axis] = std::fmod(largest.centroid[axis], extents[axis]);
    const auto box = restore_axes(std::array{std::array{sums.x0, sums.x1}, std::array{sums.y0, sums.y1}, std::array{sums.z0, sums.z1}},
                                  components.engine_slices);
    largest.slices = {box[2][0], box[2][1]};
    if (largest.slices[1] >= extent.nz) largest.slices = {0, extent.nz - 1};  // the component crosses the ends of a periodic axis
    return largest;
}

}  // namespace voxcc
