// The description of the volumes of a TIFF.
#pragma once
#include "io/formats/tiff/tiff_pages.h"
#include "io/io.h"

namespace voxcc::io {

/// The axes of the volumes are, fastest first: the samples of a pixel, if there are several (C, or S if the pages have channels), and the
/// axes of the pages.
/// @param missing of strips and tiles that are not stored
VolumeInfo info_of_tiff(const TiffHandle& tiff, const TiffPages& pages, MissingChunks missing);

/// @return text that follows the number of volumes in an error
// axes C 2, T 3  ->  ": 2 channels (C), 3 time points (T), chosen as in [c=0,t=0], in the order N = t * 2 + c"
std::string volumes_text(const VolumeInfo& info);

}  // namespace voxcc::io
