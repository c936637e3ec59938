// Thresholds that are computed from the image: Otsu's threshold and percentiles. Both read the complete volume before it is labelled.
#pragma once
#include <voxcc/foreground.h>
#include "io/io.h"
#include "src/cli/threshold.h"

namespace voxcc {

/// Otsu's threshold of the finite scaled values: the level between two classes of values (<= and >) with the largest variance between
/// the classes; the lowest one if several levels are equal. Integers that span fewer than 2^24 values are counted value by value. Other
/// values are counted in 256 equal bins from the least to the largest, and the level is the centre of a bin. The bins of float32 voxels
/// without scaling are computed in float32, others in float64, as skimage.filters.threshold_otsu does. The reader is rewound.
/// @throw Error invalid_file if there are no two different finite values
double otsu_level(io::VolumeReader& reader);

/// The p-th percentile (0..100) of all scaled values except NaN, with linear interpolation between order statistics. The result is the one
/// of numpy.nanpercentile: in float32 for float32 voxels without scaling, else in float64. Order statistics are exact: each pass over the
/// volume finds 16 bits of one. The reader is rewound.
/// @throw Error invalid_file if all values are NaN
double percentile_level(io::VolumeReader& reader, double p);

/// The rule with its bounds as numbers. Reads the volume only for otsu and percentile.
ForegroundRule resolve(const ThresholdRule& rule, io::VolumeReader& reader, ForegroundRule::Take take);

}  // namespace voxcc
