// Macros for loops in functions that are compiled for CPU threads and, with nvcc, also for the GPU. VOXCC_HD is in voxcc/volume.h.
#pragma once
#include <voxcc/volume.h>

#ifdef __CUDACC__
#define VOXCC_UNROLL _Pragma("unroll")
#define VOXCC_NO_UNROLL _Pragma("unroll 1")
#else
#define VOXCC_UNROLL
#define VOXCC_NO_UNROLL
#endif
