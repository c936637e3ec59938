// Errors for inputs that are not in a readable format. They name the format, and the program that converts it.
#pragma once
#include <string>

namespace voxcc::io {

/// Refuses a file that no reader recognises. It recognises formats of other programs by name and content. The file must exist.
/// @throw Error always: unsupported_file for a known format, else invalid_file
// brain.mgz  ->  "is a FreeSurfer volume; convert it with 'mri_convert brain.mgz brain.nii.gz'"
[[noreturn]] void refuse_unknown_format(const std::string& path);

/// Refuses a folder that contains neither slices nor a DICOM series. @throw Error always: unsupported_file for Zarr, else missing_part
// scans with a.nii.gz, b.nii.gz  ->  "2 NIfTI files here; name them, as in scans/*.nii.gz"
[[noreturn]] void refuse_folder_without_slices(const std::string& folder);

}  // namespace voxcc::io
