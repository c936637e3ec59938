// The rule of --threshold.
#pragma once
#include <voxcc/foreground.h>
#include "src/options/options.h"

#include <string>

namespace voxcc {

/// Which voxels are foreground. Bounds are scaled values. NaN voxels are never foreground.
struct ThresholdRule {
    ForegroundRule rule;  // without scaling; the bound is not set if `level` is computed
    /// Where the bound comes from. Voxels above a computed level are foreground; with `range`, also voxels at the level.
    enum class Level {
        given,
        otsu,
        li,
        triangle,
        yen,
        percentile,
        range,  // least + percent / 100 * (largest - least)
    } level = Level::given;
    double percent = 0;  // 0..100; of percentile and range
    bool operator==(const ThresholdRule&) const = default;
};

/// Parses a rule of --threshold:
///   nonzero   >T   >=T   <T   <=T   T (same as >=T)   LO:HI (inclusive)   LO:   :HI   ==V,V,...   !=V,V,...   abs>T   abs>=T
///   otsu   li   triangle   yen   p99 (a percentile)   40% (of the range)
/// Blanks between the parts are allowed. Numbers may be infinite, but not NaN. Their decimal text is
/// read exactly: see bound_in().
/// @throw Error invalid_argument for any other text
// "2 : 5" -> {.rule = {.kind = Kind::range, .low = 2, .high = 5}}
ThresholdRule parse_threshold(const std::string& text);

/// The rule of the options. Without --threshold, it is nonzero, or otsu with --threshold-from.
ThresholdRule threshold_of(const LabelOptions& options);

/// The rule in one form: equal rules have equal texts.
// parse_threshold("2.50") -> ">=2.5"
std::string text_of(const ThresholdRule& rule);

/// The name of a computed level, as in --threshold; empty for Level::given.
// Level::percentile, 99.5 -> "p99.5"
std::string name_of_level(const ThresholdRule& rule);

}  // namespace voxcc
