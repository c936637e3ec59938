// The rule of --threshold.
#pragma once
#include <voxcc/foreground.h>
#include "src/options/options.h"

#include <string>

namespace voxcc {

/// Which voxels are foreground. Bounds are scaled values. NaN voxels are never foreground.
struct ThresholdRule {
    ForegroundRule rule;                  // without scaling; the bound is not set if there is a level
    std::optional<LevelRule> level = {};  // of which the bound is computed
    bool operator==(const ThresholdRule&) const = default;
};

/// Parses a rule of --threshold:
///   nonzero   >T   >=T   <T   <=T   T (same as >=T)   LO:HI (inclusive)   LO:   :HI   ==V,V,...   !=V,V,...   abs>T   abs>=T
///   otsu   li   triangle   yen   p99 (a percentile)   40% (of the range)
/// Blanks between the parts are allowed. Numbers may be infinite, but not NaN. Their decimal text is
/// read exactly: see bound_in().
/// @param option that states the rule, for messages
/// @throw Error invalid_argument for any other text
// "2 : 5" -> {.rule = {.kind = Kind::range, .low = 2, .high = 5}}
ThresholdRule parse_threshold(const std::string& text, const std::string& option = "--threshold");

/// The rule of the options. Without --threshold, it is nonzero, or otsu with --threshold-from.
ThresholdRule threshold_of(const LabelOptions& options);

/// The rule in one form: equal rules have equal texts.
// parse_threshold("2.50") -> ">=2.5"
std::string text_of(const ThresholdRule& rule);

}  // namespace voxcc
