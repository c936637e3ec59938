// The files of a folder of DICOM files: which are slices, which are left out, and which are damaged.
#pragma once
#include "io/formats/dicom/dicom_object.h"

namespace voxcc::io {

struct DicomFolder {
    std::vector<DicomObject> objects;  // of one series, sorted by the names of their files
    std::vector<std::string> warnings;
};

/// @return whether `path` is a folder with at least one DICOM file
bool is_dicom_folder(const std::string& path);

/// Reads the headers of all files of a folder. Objects without pixels are left out, and so are files that cannot be slices: their name
/// begins with a dot, or has an extension that no DICOM file of the folder has (digits are not an extension). Both give a warning.
/// @throw Error about the content: another file is not DICOM, is empty or damaged; several_series; the slices are not alike
DicomFolder read_dicom_folder(const std::string& path);

/// @return the paths of all files of the folder that read_dicom_folder() opens
std::vector<std::string> files_in_dicom_folder(const std::string& path);

}  // namespace voxcc::io
