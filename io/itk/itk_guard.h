// What has to hold before ITK sees a file: its readers believe the header, and fill what is missing with zeros.
#pragma once
#include "io/io.h"

namespace voxcc::io {

// mrc_signed: bytes, if that is what its voxels are, have a sign, which ITK does not tell.
enum class ItkFormat { dicom, mrc, mrc_signed, vtk, gipl, png, jpeg, bmp, nrrd_by_itk };

/// By content, for GIPL compressed by name too. @throw Error no_input; bad_data if it is none that is read here
ItkFormat recognise(const std::string& path);

/// Compares the lengths that the header claims with the file's. @throw Error bad_data
void check_whole(const std::string& path, ItkFormat format);

}  // namespace voxcc::io
