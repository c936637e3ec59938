// Checks that must pass before ITK opens a file. ITK readers trust the header and zero-fill missing data.
#pragma once
#include "io/io.h"

namespace voxcc::io {

// The formats from nifti on have an own reader of voxcc.
enum class ItkFormat { biorad, png, jpeg, bmp, nifti, tiff, hdf5, nrrd, metaimage, mrc, vtk, gipl, dicom };

/// @return whether voxcc has an own reader for the format. The own reader then checks the file (compared_reader.h).
constexpr bool has_own_reader(ItkFormat format) { return format >= ItkFormat::nifti; }

/// Recognises the formats that only ITK reads: by content, and BMP and BioRad also by name.
/// @throw Error missing_file; about the content if the format is not supported
ItkFormat recognise_for_itk(const std::string& path);

/// Compares the lengths in the header with the length of the file. Does nothing if has_own_reader(format).
/// @throw Error about the content
void check_whole(const std::string& path, ItkFormat format);

}  // namespace voxcc::io
