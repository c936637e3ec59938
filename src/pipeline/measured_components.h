// The fourth stage of a volume: measures the components that are kept.
#pragma once
#include "src/pipeline/labelled_foreground.h"

namespace voxcc {

/// Measures what the options request of the final components: voxels inside, values of intensity images, and contacts. Reads the intensity
/// images of `volume`.
/// @throw Error of any kind; MemoryLimitReached
MeasuredComponents measure_components(OpenedVolume& volume, const LabelledForeground& foreground, const Selection& selection,
                                      RunContext& context);

}  // namespace voxcc
