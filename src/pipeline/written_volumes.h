// The last stage of a volume: writes its volumes and its preview.
#pragma once
#include "src/pipeline/labelled_foreground.h"

namespace voxcc {

/// Writes the volumes and the preview of a job into context.outputs (not published) and context.series.
/// @throw Error of any kind; changed_file if the image has changed since it was opened
WrittenVolumes write_outputs(const OpenedVolume& volume, const LabelledForeground& foreground, const Selection& selection,
                             RunContext& context);

}  // namespace voxcc
