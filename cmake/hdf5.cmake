# Finds the HDF5 library, for io and tests: link with voxcc_hdf5.
#
# The static library is used where it exists. The shared library of Debian loads curl, Kerberos and 20 more libraries at each start of
# the program, for HDF5 files on servers, which voxcc never reads. `voxcc --version` takes 9.7 ms with it and 5.7 ms without it (AMD EPYC).
enable_language(C)  # find_package(HDF5) needs C
find_library(VOXCC_STATIC_HDF5_FILE NAMES libhdf5.a PATH_SUFFIXES hdf5/serial)
mark_as_advanced(VOXCC_STATIC_HDF5_FILE)
set(static_hdf5 OFF)
if(VOXCC_STATIC_HDF5_FILE)
  set(static_hdf5 ON)
endif()
option(VOXCC_STATIC_HDF5 "Link the HDF5 library statically (default: on if libhdf5.a is found)" ${static_hdf5})
set(HDF5_USE_STATIC_LIBRARIES ${VOXCC_STATIC_HDF5})
find_package(HDF5 REQUIRED COMPONENTS C)
unset(HDF5_USE_STATIC_LIBRARIES)  # ITK's package looks for the shared library

add_library(voxcc_hdf5 INTERFACE)
target_include_directories(voxcc_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
# HDF5_C_LIBRARIES also names the libraries that only unused parts of a static HDF5 library need.
target_link_options(voxcc_hdf5 INTERFACE LINKER:--as-needed)
target_link_libraries(voxcc_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
