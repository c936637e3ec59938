// The interface of the module voxcc_itk, which reads files with ITK. It is loaded only when needed, so that other files do not wait for the
// libraries of ITK. Only itk_call.cpp, itk_image.cpp and dicom_series.cpp include ITK, and only dicom_codec.cpp includes GDCM.
#pragma once
#include "io/formats/itk/itk_format.h"
#include "io/io.h"
#include "io/process/child_process.h"

#include <functional>

namespace voxcc::io {

/// Opens a file of `format`. ItkOnly::check() must have passed, or the own reader of voxcc must have opened the file. Without
/// options.volume it opens volume 0: the caller must check that a choice was made.
std::unique_ptr<VolumeReader> open_itk_image(const std::string& path, ItkFormat format, const OpenOptions& options);

/// Opens a folder with one DICOM series, one slice per file. The own reader must have opened it.
/// @throw Error about the content if ITK does not find exactly one series
std::unique_ptr<VolumeReader> open_dicom_series(const std::string& folder, const OpenOptions& options);

/// A compressed frame of a DICOM file, with one sample per pixel.
struct EncodedDicomFrame {
    std::string path;    // named in errors
    std::string syntax;  // UID of the transfer syntax: JPEG, JPEG-LS or JPEG 2000
    std::int64_t columns = 0, rows = 0;
    int bits_allocated = 8, bits_stored = 8;
    bool is_signed = false;
    std::span<const std::byte> bytes;
};

/// Decodes a frame with GDCM. @param to must hold columns * rows samples of bits_allocated; single bits become bytes
/// @throw Error corrupt_file
void decode_dicom_frame(const EncodedDicomFrame& frame, std::span<std::byte> to);

/// The exported interface of the module: the functions above.
struct ItkModule {
    std::unique_ptr<VolumeReader> (*open_image)(const std::string& path, ItkFormat format, const OpenOptions& options);
    std::unique_ptr<VolumeReader> (*open_dicom_series)(const std::string& folder, const OpenOptions& options);
    void (*decode_dicom_frame)(const EncodedDicomFrame& frame, std::span<std::byte> to);
};

/// Copies of all voxels of a file in the memory of its process: ITK loads complete volumes of some formats, and converts them.
constexpr int copies_in_itk = 4;

/// The limits for parsing these files with ITK, which loads complete files of some formats.
ChildLimits limits_of_itk(const std::vector<std::string>& files);

/// Calls `open`, which uses the module, in a child process, as open_isolated().
std::unique_ptr<VolumeReader> open_itk_isolated(const std::string& path, const ChildLimits& limits, const ChildInputs& inputs, int copies,
                                                std::function<std::unique_ptr<VolumeReader>()> open);

/// Loads the module from the folder of the program, once per process. Thread-safe.
/// @param path file that needs the module, named in errors
/// @throw Error internal if the module or a library of ITK is missing; unsupported_file in a build without ITK; out_of_memory
const ItkModule& itk_module(const std::string& path);

}  // namespace voxcc::io
