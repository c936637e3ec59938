// What is found out about DICOM files without GDCM, which gives what is there of a file that is cut short, and zeros for the rest.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace voxcc::io {

/// By content; false for a file that may not be read, too: it is not what makes a folder a series.
bool is_dicom_file(const std::filesystem::directory_entry& entry);

/// Whether `path` is a folder with at least one DICOM file.
bool is_dicom_folder(const std::string& path);

/// Walks over all elements up to the end of the pixel data, before GDCM sees them: it would believe any length.
/// @return bytes of the pixel data where no codec is used
/// @throw Error bad_data if an element passes the end of the file, or there is no pixel data
std::optional<std::int64_t> stored_pixel_bytes(const std::string& dicom_path);

/// @param voxel_bytes of all frames, as they are stored where no codec is used
/// @throw Error as stored_pixel_bytes; bad_data if the pixels are too few
void check_pixel_data(const std::string& dicom_path, std::int64_t voxel_bytes);

}  // namespace voxcc::io
