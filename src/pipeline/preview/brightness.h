// The values of the image under the components, and the range of values that is shown.
#pragma once
#include "src/pipeline/preview/projection.h"

namespace voxcc::preview {

/// Converts a row of stored values to brightness. The brightness ascends with the scaled value. The brightness of a colour is the sum of
/// red, green and blue. Voxels that are not finite get Projection::no_value.
/// @param row nx values of info.type
/// @param brightness receives nx values
void brightness_of_row(const io::VolumeInfo& info, std::span<const std::byte> row, std::span<double> brightness);

/// The range of values from black to the brightest grey.
struct Window {
    double low = 0, high = 0;
    /// @return 0 at `low` and below, 1 at `high` and above; 0 if the window is empty
    double part(double value) const;
};

/// From the 1st to the 99th percentile of the projected values. From the least to the largest value if these percentiles are equal, as for
/// a mask with few foreground voxels.
Window window_of(const std::vector<Projection>& projections);

}  // namespace voxcc::preview
