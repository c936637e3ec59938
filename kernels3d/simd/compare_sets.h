// Declares the comparisons of compare.h and near.h for one instruction set each. compare_avx2.cpp and compare_avx512.cpp instantiate them
// for every scalar type of a volume.
#pragma once
#include "kernels3d/simd/compare.h"
#include "kernels3d/simd/near_limit.h"

#ifdef VOXCC_X86
namespace voxcc::block_runs {

/// Same as equal_rows(). The processor must support Isa::avx2.
template <class T>
[[VOXCC_AVX2]] void equal_rows_avx2(const T* a, const std::uint64_t* foreground, std::span<const Comparison<T>> others);

/// Same as within_row(). The processor must support Isa::avx2.
template <class T>
[[VOXCC_AVX2]] void within_row_avx2(const T* v, T low, T high, std::int64_t nx, std::uint64_t* bits);

/// Same as equal_rows(). The processor must support Isa::avx512.
template <class T>
[[VOXCC_AVX512]] void equal_rows_avx512(const T* a, const std::uint64_t* foreground, std::span<const Comparison<T>> others);

/// Same as within_row(). The processor must support Isa::avx512.
template <class T>
[[VOXCC_AVX512]] void within_row_avx512(const T* v, T low, T high, std::int64_t nx, std::uint64_t* bits);

/// Same as near_row(). The processor must support Isa::avx2.
template <class T>
[[VOXCC_AVX2]] void near_row_avx2(const T* a, const T* b, NearLimit<T> limit, std::int64_t n, std::uint64_t* bits);

/// Same as near_row(). The processor must support Isa::avx512.
template <class T>
[[VOXCC_AVX512]] void near_row_avx512(const T* a, const T* b, NearLimit<T> limit, std::int64_t n, std::uint64_t* bits);

}  // namespace voxcc::block_runs
#endif
