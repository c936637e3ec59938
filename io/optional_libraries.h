// The libraries that a build may leave out: the CMake options VOXCC_HDF5, VOXCC_ITK, VOXCC_ZARR and VOXCC_JPEG2000. In such a build,
// hdf5/no_hdf5.cpp, itk/no_itk.cpp, zarr/no_zarr.cpp and jpeg2000/no_jpeg2000.cpp report an error for each file that needs the library.
#pragma once
#include <string>

namespace voxcc::io {

/// @return whether this build reads and writes HDF5 files
bool has_hdf5();
/// @return whether this build reads the files that only ITK reads: PNG, JPEG, BMP, BioRad and compressed DICOM
bool has_itk();
/// @return whether this build reads Zarr stores
bool has_zarr();
/// @return whether this build reads JPEG 2000 images
bool has_jpeg2000();

/// @return the version at run time
// "1.10.8"; in a build without HDF5 "not in this build"
std::string hdf5_version();
/// @return the version at compile time
// "5.3.0"; in a build without ITK "not in this build"
std::string itk_version();
/// @return the version of c-blosc, which decodes chunks of Zarr stores, at compile time
// "1.21.3"; in a build without Zarr "not in this build"
std::string blosc_version();
/// @return the version at run time
// "2.5.0"; in a build without OpenJPEG "not in this build"
std::string openjpeg_version();

}  // namespace voxcc::io
