// Macros for functions that are compiled for CPU threads and, with nvcc, also for the GPU.
#pragma once

#ifdef __CUDACC__
#define VOXCC_HD __host__ __device__
#define VOXCC_UNROLL _Pragma("unroll")
#define VOXCC_NO_UNROLL _Pragma("unroll 1")
#else
#define VOXCC_HD
#define VOXCC_UNROLL
#define VOXCC_NO_UNROLL
#endif
