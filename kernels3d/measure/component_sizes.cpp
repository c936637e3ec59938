#include <voxcc/component_sizes.h>

namespace voxcc::block_runs {

std::vector<std::uint64_t> component_sizes(Labelling& labelling) {
    if (auto* const counts = dynamic_cast<CountsVoxels*>(&labelling)) return counts->sizes();
    const SumTable sums = labelling.measure();
    std::vector<std::uint64_t> sizes(sums.size());
    for (std::size_t row = 0; row < sizes.size(); ++row) sizes[row] = sums.voxels(row);
    return sizes;
}

}  // namespace voxcc::block_runs
