// The libraries that a build may leave out: the CMake options VOXCC_HDF5 and VOXCC_ITK. In such a build, hdf5/no_hdf5.cpp and
// itk/no_itk.cpp report an error for each file that needs the library.
#pragma once
#include <string>

namespace voxcc::io {

/// @return whether this build reads and writes HDF5 files
bool has_hdf5();
/// @return whether this build reads the files that only ITK reads: DICOM, PNG, MRC and others
bool has_itk();

/// @return the version at run time
// "1.10.8"; in a build without HDF5 "not in this build"
std::string hdf5_version();
/// @return the version at compile time
// "5.3.0"; in a build without ITK "not in this build"
std::string itk_version();

}  // namespace voxcc::io
