// Checks that must pass before ITK opens a file. ITK readers trust the header and zero-fill missing data.
#pragma once
#include "io/io.h"

namespace voxcc::io {

// mrc_signed: an MRC file whose voxels, if they are bytes, are signed. ITK does not report this.
enum class ItkFormat { dicom, mrc, mrc_signed, vtk, gipl, png, jpeg, bmp, nrrd_by_itk };

/// Recognises the format by content, and BMP, MRC and GIPL also by name. @throw Error missing_file; about the content if the format is not
/// supported
ItkFormat recognise(const std::string& path);

/// Compares the lengths in the header with the length of the file. @throw Error about the content
void check_whole(const std::string& path, ItkFormat format);

}  // namespace voxcc::io
