// The parts of open_itk, one file each; only itk_call.cpp, itk_image.cpp and dicom_series.cpp see ITK itself.
#pragma once
#include "io/io.h"

namespace voxcc::io {

/// A file of any format that io/itk_guard.h recognises. Volume 0 of several if none is chosen: the caller has to ask.
std::unique_ptr<VolumeReader> open_itk_image(const std::string& path, const OpenOptions& options);

/// A folder that holds one DICOM series, a file a slice. @throw Error usage naming the series if there are several
std::unique_ptr<VolumeReader> open_dicom_series(const std::string& folder, const OpenOptions& options);

/// Whether `path` is a folder with at least one DICOM file.
bool is_dicom_folder(const std::string& path);

}  // namespace voxcc::io
