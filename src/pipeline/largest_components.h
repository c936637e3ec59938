// The largest components of a volume, for its pictures.
#pragma once
#include "src/pipeline/labelled_volume.h"

namespace voxcc {

struct LargestComponents {
    std::vector<std::uint64_t> labels;     // final numbers, the largest component first; of equal sizes the smaller number first
    std::array<double, 3> centroid{};      // of the first component: i j k, in [0, extent)
    std::array<std::int64_t, 2> slices{};  // the first and the last k of the first component, inclusive
    bool empty() const { return labels.empty(); }
};

/// @param most number of components
LargestComponents largest_components(const LabelledComponents& components, const Selection& selection, const Extent& extent,
                                     std::size_t most);

}  // namespace voxcc
