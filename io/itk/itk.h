// The interface of the module voxcc_itk, which reads files with ITK. It is loaded only when needed, so that other files do not wait for the
// libraries of ITK. Only itk_call.cpp, itk_image.cpp and dicom_series.cpp include ITK.
#pragma once
#include "io/itk/itk_guard.h"

#include <functional>

namespace voxcc::io {

/// Opens a file of `format`. check_whole() must have passed; if has_own_reader(format), the own reader must have opened the file. Without
/// options.volume it opens volume 0: the caller must check that a choice was made.
std::unique_ptr<VolumeReader> open_itk_image(const std::string& path, ItkFormat format, const OpenOptions& options);

/// Opens a folder with one DICOM series, one slice per file. @throw Error several_series naming the series if there are several
std::unique_ptr<VolumeReader> open_dicom_series(const std::string& folder, const OpenOptions& options);

/// The exported interface of the module: the two functions above.
struct ItkModule {
    std::unique_ptr<VolumeReader> (*open_image)(const std::string& path, ItkFormat format, const OpenOptions& options);
    std::unique_ptr<VolumeReader> (*open_dicom_series)(const std::string& folder, const OpenOptions& options);
};

/// Calls `open`, which uses the module, in a child process, as open_isolated() with a limit on its processor time.
std::unique_ptr<VolumeReader> open_itk_isolated(const std::string& path, int processor_seconds,
                                                std::function<std::unique_ptr<VolumeReader>()> open);

/// Loads the module from the folder of the program, once per process. Thread-safe.
/// @param path file that needs the module, named in errors
/// @throw Error internal if the module or a library of ITK is missing; unsupported_file in a build without ITK; out_of_memory
const ItkModule& itk_module(const std::string& path);

}  // namespace voxcc::io
