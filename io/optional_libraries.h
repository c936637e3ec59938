// The libraries that a build may leave out: the CMake options VOXCC_HDF5, VOXCC_ITK and VOXCC_ZARR. In such a build, hdf5/no_hdf5.cpp,
// itk/no_itk.cpp and zarr/no_zarr.cpp report an error for each file that needs the library.
#pragma once
#include <string>

namespace voxcc::io {

/// @return whether this build reads and writes HDF5 files
bool has_hdf5();
/// @return whether this build reads the files that only ITK reads: DICOM, PNG, MRC and others
bool has_itk();
/// @return whether this build reads Zarr stores
bool has_zarr();

/// @return the version at run time
// "1.10.8"; in a build without HDF5 "not in this build"
std::string hdf5_version();
/// @return the version at compile time
// "5.3.0"; in a build without ITK "not in this build"
std::string itk_version();
/// @return the version of c-blosc, which decodes chunks of Zarr stores, at compile time
// "1.21.3"; in a build without Zarr "not in this build"
std::string blosc_version();

}  // namespace voxcc::io
