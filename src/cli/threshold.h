// Which voxels are foreground, as --threshold says it.
#pragma once
#include <string>

namespace voxcc {

/// Bounds are on scaled values. NaN voxels are never foreground.
struct ThresholdRule {
    enum class Kind {
        nonzero,
        above,       // value > low
        at_least,    // value >= low
        range,       // low <= value <= high
        otsu,        // value > Otsu's threshold
        percentile,  // value > the percentile
    };
    Kind kind = Kind::nonzero;
    double low = 0, high = 0;
    double percentile = 0;  // 0..100
    bool operator==(const ThresholdRule&) const = default;
};

/// Forms: nonzero, >T, >=T, T (= >=T), LO:HI (inclusive), otsu, p99, p99.5. Numbers may be infinite, not NaN.
/// @throw Error invalid_argument for any other text
ThresholdRule parse_threshold(const std::string& text);

}  // namespace voxcc
