// Levels that are found in the image itself: Otsu's threshold, percentiles. Both read the whole volume, in pieces, before it is labelled.
#pragma once
#include "io/io.h"
#include "kernels3d/foreground.h"
#include "src/threshold.h"

namespace voxcc {

/// Otsu's threshold of the finite values, scaled: the level between two classes of values (<= and >) that makes the variance between
/// them largest, the lowest if several do. Integers are counted value by value as long as they span fewer than 2^24 values; other
/// types, and wider spans, in 256 equal bins between least and largest, where the level is the middle of a bin. The level is computed from
/// stored values and then scaled: it is skimage.filters.threshold_otsu of the stored values, except for integers with a wider span, and up
/// to rounding. On scaled integers scikit-image uses 256 bins, and its level can differ. The reader is rewound.
/// @throw Error bad_data if there are no two different finite values
double otsu_level(io::VolumeReader& reader);

/// The p-th percentile (0..100) of all values but NaN, scaled, interpolated linearly between order statistics as numpy.percentile does.
/// Exact: order statistics are found digit by digit (16 bits a pass over the volume). The reader is rewound.
/// @throw Error bad_data if there is no such value
double percentile_level(io::VolumeReader& reader, double p);

/// The rule in numbers; reads the volume only for otsu and percentile.
ForegroundRule resolve(const ThresholdRule& rule, io::VolumeReader& reader, ForegroundRule::Take take);

}  // namespace voxcc
