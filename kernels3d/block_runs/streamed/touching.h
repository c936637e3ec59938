// Finds the components of two slabs that touch. Reads the numbers in the last slice of one slab and in the first slice of the next. Runs
// on the CPU.
#pragma once
#include <voxcc/labelling.h>
#include "kernels3d/block_runs/seams.h"
#include "kernels3d/near_values.h"
#include "kernels3d/neighbourhood.h"

#include <algorithm>

namespace voxcc::block_runs::streamed {

/// Numbers of the components of a slab in one of its slices.
struct Face {
    std::vector<std::uint32_t> numbers;  // [y][x], 0 is background
    std::vector<std::uint64_t> values;   // by number - 1; empty unless the rule is equal_values
    std::vector<std::byte> stored;       // [y][x], the stored values of the slice; empty unless the rule is gradient
};

/// Lists the pairs of numbers that touch between two slices.
class TouchingLister {
public:
    /// @param request of the volume; its connectivity must be reduced to the extent
    /// @param type of the stored values
    TouchingLister(const Request& request, ScalarType type)
        : extent_(request.extent), rule_(request.rule), most_(request.gradient), type_(type) {
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
        const auto meet = [&](std::int64_t from, std::int64_t to) {
            if (from < 0 || below.numbers[std::size_t(from)] == 0 || !joins(below, from, above, to)) return false;
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
                if (meet(at, at) && rule_ != Rule::gradient) continue;
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

    bool joins(const Face& below, std::int64_t from, const Face& above, std::int64_t to) const {
        if (rule_ == Rule::gradient) {
            const std::int64_t bytes = size_of(type_);
            return is_near_stored(type_, below.stored.data() + from * bytes, above.stored.data() + to * bytes, most_);
        }
        if (below.values.empty()) return true;
        return below.values[below.numbers[std::size_t(from)] - 1] == above.values[above.numbers[std::size_t(to)] - 1];
    }
    /// The index of voxel (x, y) in its slice; -1 outside the slice.
    std::int64_t index_of(std::int64_t x, std::int64_t y) const {
        return x < 0 || x >= extent_.nx || y < 0 || y >= extent_.ny ? -1 : y * extent_.nx + x;
    }

    Extent extent_;
    Rule rule_;
    double most_;
    ScalarType type_;
    std::vector<Step> around_;  // steps to the neighbours in the next slice, without the voxel directly below
};

}  // namespace voxcc::block_runs::streamed
