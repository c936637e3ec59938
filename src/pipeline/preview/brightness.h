// The values of the image under the components, and the range of values that is shown.
#pragma once
#include "src/pipeline/preview/projection.h"

namespace voxcc::preview {

/// Converts stored values to brightness. The brightness ascends with the scaled value. The brightness of a colour is the sum of
/// red, green and blue. Voxels that are not finite get Projection::no_value.
/// @param values of info.type, aligned for it; one per entry of `brightness`
/// @param brightness receives the result
void brightness_of(const io::VolumeInfo& info, const std::byte* values, std::span<double> brightness);

/// The range of values from black to the brightest grey.
struct Window {
    double low = 0, high = 0;
    /// @return 0 at `low` and below, 1 at `high` and above; 0 if the window is empty
    double part(double value) const;
};

/// From the 1st to the 99th percentile of the values of all views. From the least to the largest value if these percentiles are equal, as
/// for a mask with few foreground voxels.
/// @param views the values per view; Projection::no_value does not count
Window window_of(const std::vector<std::span<const double>>& views);

}  // namespace voxcc::preview
