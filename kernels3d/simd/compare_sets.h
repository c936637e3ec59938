// The comparisons of compare.h for one instruction set each, instantiated for every type of a volume in compare_avx2.cpp and
// compare_avx512.cpp.
#pragma once
#include "kernels3d/simd/compare.h"

#ifdef VOXCC_X86
namespace voxcc::block_runs {

/// As equal_rows(). The processor must support Isa::avx2.
template <class T>
[[VOXCC_AVX2]] void equal_rows_avx2(const T* a, const std::uint64_t* foreground, std::span<const Comparison<T>> others);

/// As within_row(). The processor must support Isa::avx2.
template <class T>
[[VOXCC_AVX2]] void within_row_avx2(const T* v, T low, T high, std::int64_t nx, std::uint64_t* bits);

/// As equal_rows(). The processor must support Isa::avx512.
template <class T>
[[VOXCC_AVX512]] void equal_rows_avx512(const T* a, const std::uint64_t* foreground, std::span<const Comparison<T>> others);

/// As within_row(). The processor must support Isa::avx512.
template <class T>
[[VOXCC_AVX512]] void within_row_avx512(const T* v, T low, T high, std::int64_t nx, std::uint64_t* bits);

}  // namespace voxcc::block_runs
#endif
