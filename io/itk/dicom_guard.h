// Checks of DICOM files without GDCM, which zero-fills the missing data of truncated files.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace voxcc::io {

/// @return whether the content is DICOM; false also for an unreadable file
bool is_dicom_file(const std::filesystem::directory_entry& entry);

/// @return whether `path` is a folder with at least one DICOM file
bool is_dicom_folder(const std::string& path);

/// Walks over all elements up to the end of the pixel data. Must run before GDCM, which trusts every length.
/// @return bytes of the pixel data; empty if a codec is used
/// @throw Error about the content if an element exceeds the file or the pixel data are missing
std::optional<std::int64_t> stored_pixel_bytes(const std::string& dicom_path);

/// Checks that the pixel data are complete. @param voxel_bytes size of all frames when stored without a codec
/// @throw Error as stored_pixel_bytes(); about the content if the pixel data are shorter than `voxel_bytes`
void check_pixel_data(const std::string& dicom_path, std::int64_t voxel_bytes);

}  // namespace voxcc::io
