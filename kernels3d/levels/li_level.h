// Li's level of values that are too many to count one by one.
#pragma once
#include <voxcc/foreground.h>

namespace voxcc {

/// Li's level (histogram_levels.h) of the finite scaled values. Integers with largest - least < 2^24 are counted value by value, and the
/// iteration ends at steps of 0.5 stored values. Other values are counted in buckets of a relative width of 2^-12, and close to the level
/// of 2^-26 or one float32, with the exact sum of each bucket. The iteration ends at steps of half of the smallest difference of bucket
/// means.
/// @throw UndefinedLevel if fewer than two different finite values exist, or if the width of their range is not finite
double li_level(const LevelValues& values);

}  // namespace voxcc
