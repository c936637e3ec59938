// Thresholds that are computed from the image. They need the complete volume before labelling.
#pragma once
#include <voxcc/foreground.h>
#include "src/options/threshold.h"
#include "src/pipeline/level_voxels.h"

namespace voxcc {

/// The bound of a rule whose level is computed, as a scaled value; `rule.low` of other rules. The readers are rewound.
///   otsu, triangle, yen, li   see histogram_levels.h, histogram.h and li_level.h
///   percentile                of all scaled values except NaN, with linear interpolation, equal to the result of numpy.nanpercentile: in
///                             float32 for float32 voxels without scaling, else in float64. The order statistics are exact. Each pass over
///                             the volume finds 16 bits of an order statistic
///   range                     least + percent / 100 * (largest - least) of the finite values, in float64; 100 % is the largest value
/// @throw Error invalid_file if the level is not defined: see histogram(). A percentile needs one value that is a number
// values 1, 2, 3, 10: p50 -> 2.5; 50% -> 5.5
Bound level_of(const ThresholdRule& threshold, const LevelVoxels& voxels);

/// The rule of the options for all inputs. With --threshold-from, reads the file, and the rule has its level as a number.
/// @throw the exceptions of level_of() and io::open_volume()
ThresholdRule fixed_threshold(const LabelOptions& options);

/// Converts the rule of --threshold to a rule with numbers as bounds. Reads the volume only for a level that is computed.
/// @throw the exceptions of level_of()
ForegroundRule resolve(const ThresholdRule& threshold, const LevelVoxels& voxels, ForegroundRule::Take take);

}  // namespace voxcc
