// Finds the components of two slabs that touch. Reads the numbers in the last slice of one slab and in the first slice of the next. Runs
// on the CPU.
#pragma once
#include <voxcc/labelling.h>
#include "kernels3d/block_runs/seams.h"
#include "kernels3d/neighbourhood.h"

#include <algorithm>

namespace voxcc::block_runs::streamed {

/// Numbers of the components of a slab in one of its slices.
struct Face {
    std::vector<std::uint32_t> numbers;  // [y][x], 0 is background
    std::vector<std::uint64_t> values;   // by number - 1; empty if the rule does not compare values
};

/// Lists the pairs of numbers that touch between two slices.
class TouchingLister {
public:
    /// @param request of the volume; its connectivity must be reduced to the extent
    explicit TouchingLister(const Request& request) : extent_(request.extent), periodic_(request.periodic) {
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if ((dx != 0 || dy != 0) && is_neighbour(request.connectivity, dx, dy, 1)) around_.push_back({dx, dy});
    }

    /// @param below last slice of one slab
    /// @param above first slice of the next slab
    /// @return each pair once, in ascending order
    std::vector<seams::TouchingPair> list(const Face& below, const Face& above) const {
        std::vector<std::uint64_t> pairs;  // below << 32 | above
        std::uint64_t last = 0;
        const auto meet = [&](std::uint32_t a, std::uint32_t b) {
            if (a == 0 || !joins(below, a, above, b)) return false;
            const std::uint64_t pair = std::uint64_t(a) << 32 | b;
            if (pair != last) pairs.push_back(pair);
            last = pair;
            return true;
        };
        const std::uint32_t* at = above.numbers.data();
        for (std::int64_t y = 0; y < extent_.ny; ++y)
            for (std::int64_t x = 0; x < extent_.nx; ++x, ++at) {
                // If the voxel directly below is joined, all other voxels below that could be joined are its neighbours. So they add
                // nothing.
                if (*at == 0 || meet(number_at(below, x, y), *at)) continue;
                for (const Step& step : around_) meet(number_at(below, x + step.x, y + step.y), *at);
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

    static bool joins(const Face& below, std::uint32_t a, const Face& above, std::uint32_t b) {
        return below.values.empty() || below.values[a - 1] == above.values[b - 1];
    }
    /// The number of voxel (x, y), around the ends of periodic axes; 0 outside the slice.
    std::uint32_t number_at(const Face& face, std::int64_t x, std::int64_t y) const {
        if (x < 0 || x >= extent_.nx) {
            if (!periodic_.axes[0]) return 0;
            x = x < 0 ? extent_.nx - 1 : 0;
        }
        if (y < 0 || y >= extent_.ny) {
            if (!periodic_.axes[1]) return 0;
            y = y < 0 ? extent_.ny - 1 : 0;
        }
        return face.numbers[std::size_t(y * extent_.nx + x)];
    }

    Extent extent_;
    Periodic periodic_;
    std::vector<Step> around_;  // steps to the neighbours in the next slice, without the voxel directly below
};

}  // namespace voxcc::block_runs::streamed
