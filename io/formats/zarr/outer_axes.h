// The axes of an output along which its volumes are counted: time points and channels.
#pragma once
#include "io/formats/zarr/output_layout.h"
#include "io/io.h"

namespace voxcc::io::zarr {

/// @return the axes of an output without an image, in the order of NGFF: time, then channels. Volumes whose axes have other names, or are
/// not known, are time points. None for one volume
// input with C 2 and T 3, C fastest  ->  {"t", 3, 2}, {"c", 2, 1}; NIfTI with 5 volumes  ->  {"t", 5, 1}
std::vector<OuterAxis> outer_axes(const LabelVolume& volume);

/// @param of_image the axes of the image, with its extents
/// @return these axes, each with all positions of the image, or one @throw Error cannot_create if the volumes have other positions
// image t 3, c 2; volumes of T 3  ->  {"T", 3, 1}, {"C", 1, 1}
std::vector<OuterAxis> outer_axes_in_image(const LabelVolume& volume, const std::vector<OuterAxis>& of_image);

}  // namespace voxcc::io::zarr
