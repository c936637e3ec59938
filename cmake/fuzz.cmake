# The fuzz targets. The sanitizers check the readers and the program, whose coverage libFuzzer uses. The library and the laboratory are
# compiled without checks, which takes half of the time. The preset asan checks them, too.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "VOXCC_FUZZ needs clang, which contains libFuzzer; use 'cmake --preset fuzz'")
endif()
if(NOT VOXCC_SANITIZE MATCHES "address")
  message(FATAL_ERROR "VOXCC_FUZZ needs VOXCC_SANITIZE=address,undefined; use 'cmake --preset fuzz'")
endif()
# -O1 for the decoders and the labelling also if the other code is compiled with -O0 (scripts/check_sanitizers.sh --quick).
foreach(target voxcc_io_shared voxcc_zarr voxcc_io)
  target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link -O1)
endforeach()
foreach(target voxcc_commands voxcc_app)
  target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
endforeach()
foreach(target voxcc_engine voxcc_kernels voxcc_lab)
  target_compile_options(${target} PRIVATE -fno-sanitize=all -O1)
endforeach()
add_subdirectory(tests/fuzz)
