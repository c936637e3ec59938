// The number of voxels of every component, without the other sums.
#pragma once
#include <voxcc/labelling.h>

namespace voxcc::block_runs {

/// A labelling that counts voxels in less time than measure().
class CountsVoxels {
public:
    virtual ~CountsVoxels() = default;
    /// @throw MemoryLimitReached
    virtual std::vector<std::uint64_t> sizes() = 0;
};

/// The number of voxels of each component; entry k - 1 for number k. Labellings that are not a CountsVoxels are measured.
/// @throw the exceptions of measure()
std::vector<std::uint64_t> component_sizes(Labelling& labelling);

}  // namespace voxcc::block_runs
