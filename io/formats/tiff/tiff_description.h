// The ImageDescription of a TIFF that voxcc writes: lines of ImageJ, or OME-XML (schema of 2016-06).
#pragma once
#include "io/formats/tiff/tiff_file.h"

#include <string>

namespace voxcc::io {

/// The program that writes the files, with its version: "voxcc 0.1.0"
std::string software();

/// Whether all steps are lengths that a TIFF can state.
bool is_writable(const std::optional<std::array<double, 3>>& spacing);

/// @return the text in ASCII, without the 0 at its end
/// @throw Error cannot_create, with `path`, if ImageJ cannot store several volumes in this order: channels of more than one slice
// 256 x 256 x 40 voxels of 0.3 um, labels 1 to 9:
//   "ImageJ=1.54f\nimages=40\nslices=40\nunit=micron\nspacing=0.3\nloop=false\nmin=0\nmax=9\n"
std::string description_of(const TiffFormat& format, const std::string& path);

}  // namespace voxcc::io
