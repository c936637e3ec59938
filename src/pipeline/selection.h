// Which components of a labelled volume the options keep, and their final numbers.
#pragma once
#include <voxcc/label.h>
#include "src/options/options.h"

namespace voxcc {

struct LabelledForeground;
struct OpenedVolume;
struct RunContext;

/// The extent of the volume, with 1 voxel along each axis whose faces do not count as border: the axis of separate slices, and periodic
/// axes.
// {30, 20, 10} with --per-slice z -> {30, 20, 1}
Extent faces_of(const LabelOptions& options, const Extent& extent);

/// The criteria of --min-size, --max-size, --keep-largest, --clear-border, --clear-mask-border and --sort for a volume.
/// @throw the exceptions of voxels_of()
Criteria criteria_for(const LabelOptions& options, const io::VolumeInfo& info);

/// The number of voxels of the largest hole that --fill-holes fills. @throw the exceptions of voxels_of()
std::uint64_t max_hole_of(const LabelOptions& options, const io::VolumeInfo& info);

/// Selects the components that the options keep. Opens the mask again for --clear-mask-border, and the image for --seed-threshold.
/// @throw the exceptions of voxels_of() and open_companion(); MemoryLimitReached
Selection select_components(const OpenedVolume& volume, const LabelledForeground& foreground, RunContext& context);

}  // namespace voxcc
