// The fourth stage of a volume: measures the components that are kept.
#pragma once
#include "src/pipeline/labelled_foreground.h"

namespace voxcc {

/// Measures what the options request of the components that are kept: voxels inside, and values of intensity images. Reads the intensity
/// images of `volume`.
/// @throw Error of any kind; MemoryLimitReached
MeasuredComponents measure_components(OpenedVolume& volume, const LabelledForeground& foreground, const Selection& selection,
                                      RunContext& context);

/// The contacts of the final components; empty without --contacts. @throw as measure_components()
std::vector<LabelContact> measure_contacts(const OpenedVolume& volume, const LabelledForeground& foreground, const Selection& selection,
                                           RunContext& context);

}  // namespace voxcc
