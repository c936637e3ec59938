// Names of files and formats, from the table of formats. Code in src may use this header.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::io {

struct Format;

/// Removes the extension of a volume and of its compression. @return `name` if it has neither
// "a.nii.gz" -> "a"; "a.zarr.zip" -> "a"; "a.ome.tif" -> "a"; "a.csv" -> "a.csv"
std::string without_volume_extension(std::string name);

/// @return whether the name ends as the name of a volume
bool has_volume_extension(const std::string& name);

/// The extensions of a format without longer forms of another.
// TIFF: {".tif", ".tiff", ".companion.ome"}, without ".ome.tif"
std::vector<std::string_view> short_extensions(const Format& format);

/// @return the format that the name says, null if it says none. An extension that other programs use as well says none
// "a.nii.gz" -> the row of NIfTI; "a.map" -> null
const Format* format_of_name(const std::string& name);

/// The formats that this build reads, for a sentence.
// "NIfTI, DICOM, TIFF, HDF5, Zarr, NRRD, ... and BMP"
std::string readable_formats();

/// The formats that are read from pipes, for a sentence.
// "NIfTI, NRRD, NumPy or FreeSurfer"
std::string formats_of_pipes();

/// Joins words. @param separator between two words
// {".nii", ".tif"}, " "  ->  ".nii .tif"
std::string joined(const std::vector<std::string_view>& words, std::string_view separator = " ");

/// The extensions that this build reads. Longer forms of an extension are left out (.ome.tif).
// {".nii", ".hdr", ".img", ".dcm", ".tif", ...}
std::vector<std::string_view> readable_extensions();

/// The extensions of outputs that this build writes.
// {".nii.gz", ".nii", ".tif", ".tiff", ".h5", ...}
std::vector<std::string_view> writable_extensions();

/// The first extensions of the five most common formats that this build writes.
// {".nii.gz", ".tif", ".h5", ".zarr", ".nrrd"}
std::vector<std::string_view> usual_output_extensions();

/// The extensions of images that can be the slices of a folder.
// {".tif", ".tiff", ...}
std::vector<std::string_view> slice_extensions();

}  // namespace voxcc::io
