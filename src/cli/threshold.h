// The rule of --threshold.
#pragma once
#include <string>

namespace voxcc {

/// Which voxels are foreground. Bounds are scaled values. NaN voxels are never foreground.
struct ThresholdRule {
    enum class Kind {
        nonzero,
        above,       // value > low
        at_least,    // value >= low
        range,       // low <= value <= high
        otsu,        // value > Otsu's threshold
        percentile,  // value > the given percentile of the values
    };
    Kind kind = Kind::nonzero;
    double low = 0, high = 0;
    double percentile = 0;  // 0..100
    bool operator==(const ThresholdRule&) const = default;
};

/// Parses nonzero, >T, >=T, T (same as >=T), LO:HI (inclusive), otsu, p99 or p99.5. Numbers may be infinite, but not NaN.
/// @throw Error invalid_argument for any other text
// "2:5" -> {.kind = Kind::range, .low = 2, .high = 5}
ThresholdRule parse_threshold(const std::string& text);

}  // namespace voxcc
