# Builds the fuzz targets instead of the program. The readers use only headers of the library, so kernels3d is not compiled.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "VOXCC_FUZZ needs clang, which contains libFuzzer; use 'cmake --preset fuzz'")
endif()
if(NOT VOXCC_SANITIZE MATCHES "address")
  message(FATAL_ERROR "VOXCC_FUZZ needs VOXCC_SANITIZE=address,undefined; use 'cmake --preset fuzz'")
endif()
add_compile_options(-fsanitize=fuzzer-no-link)
set(VOXCC_ITK OFF)  # the targets run all checks before ITK, but not ITK, which runs in a child process
add_library(voxcc_kernels INTERFACE)
add_subdirectory(io)
add_subdirectory(tests/fuzz)
