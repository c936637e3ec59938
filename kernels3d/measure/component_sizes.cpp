#include <voxcc/label.h>
#include "kernels3d/base/abilities.h"

namespace voxcc {

std::vector<std::uint64_t> component_sizes(Labelling& labelling) {
    if (auto* const counts = dynamic_cast<CountsVoxels*>(&labelling)) return counts->sizes();
    const SumTable sums = labelling.measure();
    std::vector<std::uint64_t> sizes(sums.size());
    for (std::size_t row = 0; row < sizes.size(); ++row) sizes[row] = sums.voxels(row);
    return sizes;
}

}  // namespace voxcc
