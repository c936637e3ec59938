// What ITK reads for open_itk, in a module of its own, voxcc_itk, so that only files which need ITK wait until its libraries are loaded.
// Only itk_call.cpp, itk_image.cpp and dicom_series.cpp see ITK itself.
#pragma once
#include "io/itk/itk_guard.h"

namespace voxcc::io {

/// A file that recognise() takes for `format` and check_whole() has passed. Volume 0 of several if none is chosen: the caller has to ask.
std::unique_ptr<VolumeReader> open_itk_image(const std::string& path, ItkFormat format, const OpenOptions& options);

/// A folder that holds one DICOM series, a file a slice. @throw Error usage naming the series if there are several
std::unique_ptr<VolumeReader> open_dicom_series(const std::string& folder, const OpenOptions& options);

/// All that the program sees of the module: the two functions above.
struct ItkModule {
    std::unique_ptr<VolumeReader> (*open_image)(const std::string& path, ItkFormat format, const OpenOptions& options);
    std::unique_ptr<VolumeReader> (*open_dicom_series)(const std::string& folder, const OpenOptions& options);
};

/// Loads the module once per process, from the folder of the program or from lib/voxcc of its installation.
/// @param path of the file that needs it, named in errors
/// @throw Error internal if the module or one of ITK's libraries is not there
const ItkModule& itk_module(const std::string& path);

}  // namespace voxcc::io
