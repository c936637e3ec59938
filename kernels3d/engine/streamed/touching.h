// Finds the components of two slabs that touch. Reads the numbers in the last slice of one slab and in the first slice of the next. Runs
// on the CPU.
#pragma once
#include "kernels3d/base/neighbourhood.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/seams.h"
#include "kernels3d/engine/slab_faces.h"

#include <algorithm>

namespace voxcc::block_runs::streamed {

/// Lists the pairs of numbers that touch between two slices.
class TouchingLister {
public:
    /// @param request of the volume; its connectivity must be reduced to the extent
    /// @param type of the stored values
    TouchingLister(const Request& request, ScalarType type) : extent_(request.extent), rule_(request, type) {
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if ((dx != 0 || dy != 0) && is_neighbour(request.connectivity, dx, dy, 1)) around_.push_back({dx, dy});
    }

    /// @param below last slice of one slab
    /// @param above first slice of the next slab
    /// @return each pair once, in ascending order
    std::vector<seams::TouchingPair> list(const SlabFace& below, const SlabFace& above) const {
        std::vector<std::uint64_t> pairs;  // below << 32 | above
        std::uint64_t last = 0;
        const auto meet = [&](std::int64_t from, std::int64_t to) {
            if (from < 0 || !rule_.connects(below, std::size_t(from), above, std::size_t(to))) return false;
            const std::uint64_t pair = std::uint64_t(below.numbers[std::size_t(from)]) << 32 | above.numbers[std::size_t(to)];
            if (pair != last) pairs.push_back(pair);
            last = pair;
            return true;
        };
        std::int64_t at = 0;
        for (std::int64_t y = 0; y < extent_.ny; ++y)
            for (std::int64_t x = 0; x < extent_.nx; ++x, ++at) {
                if (above.numbers[std::size_t(at)] == 0) continue;
                // If the voxel directly below is joined, all other voxels below that could be joined are its neighbours. So they add
                // nothing, if the rule is transitive.
                if (meet(at, at) && rule_.is_transitive()) continue;
                for (const Step& step : around_) meet(index_of(x + step.x, y + step.y), at);
            }
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        std::vector<seams::TouchingPair> list;
        list.reserve(pairs.size());
        for (const std::uint64_t pair : pairs) list.push_back({std::uint32_t(pair >> 32), std::uint32_t(pair)});
        return list;
    }

private:
    struct Step {
        int x, y;
    };

    /// The index of voxel (x, y) in its slice; -1 outside the slice.
    std::int64_t index_of(std::int64_t x, std::int64_t y) const {
        return x < 0 || x >= extent_.nx || y < 0 || y >= extent_.ny ? -1 : y * extent_.nx + x;
    }

    Extent extent_;
    FaceRule rule_;
    std::vector<Step> around_;  // steps to the neighbours in the next slice, without the voxel directly below
};

}  // namespace voxcc::block_runs::streamed
