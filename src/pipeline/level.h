// Thresholds that are computed from the image: Otsu's threshold and percentiles. Both need the complete volume before labelling.
#pragma once
#include <voxcc/foreground.h>
#include "io/io.h"
#include "src/cli/threshold.h"

namespace voxcc {

/// Otsu's threshold of the finite scaled values: the level that divides the values into two classes (<= and >) with the largest variance
/// between the classes. If several levels have the same variance, the lowest level is the result. For integers with largest - least < 2^24
/// there is one bin per value. Other values have 256 bins of equal width, and the level is the centre of a bin. The bins are computed in
/// float32 for float32 voxels without scaling, else in float64, as in skimage.filters.threshold_otsu. The reader is rewound.
/// @throw Error invalid_file if fewer than two different finite values exist, or if the width of their range is not finite
double otsu_level(io::VolumeReader& reader);

/// The p-th percentile of all scaled values except NaN, with linear interpolation, equal to the result of numpy.nanpercentile: in float32
/// for float32 voxels without scaling, else in float64. The order statistics are exact. Each pass over the volume finds 16 bits of an order
/// statistic. The reader is rewound.
/// @param p in [0, 100]
/// @throw Error invalid_file if all values are NaN
// values 1, 2, 3, 10: p 50 -> 2.5
double percentile_level(io::VolumeReader& reader, double p);

/// Converts the rule of --threshold to a rule with numbers as bounds. Reads the volume only for otsu and percentile.
/// @throw the exceptions of otsu_level() and percentile_level()
ForegroundRule resolve(const ThresholdRule& rule, io::VolumeReader& reader, ForegroundRule::Take take);

}  // namespace voxcc
