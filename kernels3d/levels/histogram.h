// The histogram of values, from which levels are computed.
#pragma once
#include <voxcc/foreground.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace voxcc {

struct Histogram {
    std::vector<std::uint64_t> counts;        // the first and the last bin are not empty
    std::function<double(double bin)> level;  // scaled value of the bin; ascends with the bin. With equal bins: only for whole numbers
};

/// Integers with largest - least < 2^24 have one bin per stored value. Other values have 256 bins of equal width, whose level is the
/// centre of the bin. These bins are computed in float32 for float32 voxels without scaling, else in float64. Values that are not finite
/// are left out.
/// @throw UndefinedLevel if fewer than two different finite values exist, or if the width of their range is not finite
// u8 2, 3, 3, 5  ->  counts = {1, 2, 0, 1}, level(1) = 3
Histogram histogram(const LevelValues& values);

}  // namespace voxcc
