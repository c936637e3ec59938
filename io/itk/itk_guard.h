// Checks that must pass before ITK opens a file. ITK readers trust the header and zero-fill missing data.
#pragma once
#include "io/io.h"

namespace voxcc::io {

// mrc_signed: an MRC file whose voxels, if they are bytes, are signed. ITK does not report this.
enum class ItkFormat { dicom, mrc, mrc_signed, vtk, gipl, biorad, png, jpeg, bmp, nifti, tiff, hdf5, nrrd, metaimage };

/// @return whether voxcc has an own reader for the format. The own reader then checks the file (compared_reader.h).
constexpr bool has_own_reader(ItkFormat format) {
    return format == ItkFormat::dicom || format == ItkFormat::nifti || format == ItkFormat::tiff || format == ItkFormat::hdf5 ||
           format == ItkFormat::nrrd || format == ItkFormat::metaimage;
}

/// Recognises the formats that only ITK reads: by content, and BMP, MRC and GIPL also by name.
/// @throw Error missing_file; about the content if the format is not supported
ItkFormat recognise_for_itk(const std::string& path);

/// Compares the lengths in the header with the length of the file. Does nothing if has_own_reader(format).
/// @throw Error about the content
void check_whole(const std::string& path, ItkFormat format);

}  // namespace voxcc::io
