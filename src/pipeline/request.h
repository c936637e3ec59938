// What the options request from the library.
#pragma once
#include <voxcc/label.h>
#include "src/options/options.h"

namespace voxcc {

/// The axis across the slices of --per-slice; z without it.
Axis slices_of(const LabelOptions& options);

/// Whether the foreground is held in memory before it is labelled: axes are exchanged, or holes are filled.
bool holds_foreground(const LabelOptions& options);

/// The connectivity of the options, or the default for a volume of this shape.
/// @throw Error invalid_argument if the connectivity does not fit the volume
Connectivity connectivity_for(const LabelOptions& options, const io::VolumeInfo& info);

/// The number of voxels after which the volume repeats along x, y and z: its extent along periodic axes of several voxels, else 0.
std::array<std::int64_t, 3> period_of(const LabelOptions& options, const Extent& extent);

/// What is labelled in a volume. Periodic axes are the axes of the engine: see VolumeBits.
/// @throw Error invalid_argument if the connectivity does not fit the volume
Question question_for(const LabelOptions& options, const io::VolumeInfo& info);

/// The image under the outlines of the preview; empty if the preview shows projections.
inline const std::string& background_of(const LabelOptions& options) {
    const auto& images = options.intensity.images;
    return options.preview_image.empty() && !images.empty() ? images.front().path : options.preview_image;
}

/// The results of the labelling that the outputs need.
Results results_for(const LabelOptions& options);

}  // namespace voxcc
