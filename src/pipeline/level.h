// Thresholds that are computed from the image. They need the complete volume before labelling.
#pragma once
#include <voxcc/foreground.h>
#include "io/io.h"
#include "src/options/threshold.h"

namespace voxcc {

/// All voxels of an image, or the voxels inside a mask of the same extent, where the mask is neither 0 nor NaN.
struct LevelVoxels {
    io::VolumeReader& image;
    io::VolumeReader* mask = nullptr;  // null: all voxels
};

/// The bound of a rule whose level is computed, as a scaled value; `rule.low` of other rules. The readers are rewound.
/// @throw Error invalid_file if the level is not defined: see voxcc::level_of()
Bound level_of(const ThresholdRule& threshold, const LevelVoxels& voxels);

/// The rule of the options for all inputs. With --threshold-from, reads the file, and the rule has its level as a number.
/// @throw the exceptions of level_of() and io::open_volume()
ThresholdRule fixed_threshold(const LabelOptions& options);

/// Converts the rule of --threshold to a rule with numbers as bounds. Reads the volume only for a level that is computed.
/// @throw the exceptions of level_of()
ForegroundRule resolve(const ThresholdRule& threshold, const LevelVoxels& voxels, ForegroundRule::Take take);

}  // namespace voxcc
