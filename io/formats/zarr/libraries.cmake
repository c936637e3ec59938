# Finds the compressors of Zarr that only Zarr needs: link with voxcc_zarr_codecs.
pkg_check_modules(BLOSC IMPORTED_TARGET "blosc >= 1.21")
pkg_check_modules(LZ4 IMPORTED_TARGET liblz4)
if(NOT BLOSC_FOUND OR NOT LZ4_FOUND)
  message(FATAL_ERROR "c-blosc 1.21 or later and lz4 are needed to read Zarr (Debian: libblosc-dev liblz4-dev). To build without Zarr: -DVOXCC_ZARR=OFF")
endif()
add_library(voxcc_zarr_codecs INTERFACE)
target_link_libraries(voxcc_zarr_codecs INTERFACE PkgConfig::BLOSC PkgConfig::LZ4)
