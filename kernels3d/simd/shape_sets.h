// Declares count_shape() for one instruction set each.
#pragma once
#include "kernels3d/simd/shape_counts.h"

#ifdef VOXCC_X86
namespace voxcc::block_runs {

/// Same as count_shape(). The processor must support Isa::avx2.
template <Cells cells>
[[VOXCC_AVX2]] void count_shape_avx2(const ShapeRows& rows, std::int64_t count, ShapeCounts& to);

/// Same as count_shape(). The processor must support Isa::avx512.
template <Cells cells>
[[VOXCC_AVX512]] void count_shape_avx512(const ShapeRows& rows, std::int64_t count, ShapeCounts& to);

}  // namespace voxcc::block_runs
#endif
