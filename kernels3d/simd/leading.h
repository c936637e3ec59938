// The length of a run of equal labels.
#pragma once
#include "kernels3d/simd/isa.h"

#include <bit>
#ifdef VOXCC_X86
#include <immintrin.h>
#endif

namespace voxcc::block_runs {

#ifdef VOXCC_X86
template <class Id>
[[VOXCC_AVX2]] inline Id leading_avx2(const Id* labels, Id value) {
    const __m256i four_or_eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(labels));
    const __m256i equal = sizeof(Id) == 4 ? _mm256_cmpeq_epi32(four_or_eight, _mm256_set1_epi32(static_cast<int>(value)))
                                          : _mm256_cmpeq_epi64(four_or_eight, _mm256_set1_epi64x(static_cast<long long>(value)));
    return Id(std::countr_one(unsigned(_mm256_movemask_epi8(equal)))) / sizeof(Id);
}
#endif
/// Length of the leading run of `value` in labels[0..7]: a lower bound, at least 1. labels[0] must be `value`. Reads up to 8 labels.
/// labels = [3, 3, 5, 3, ...], value = 3  ->  2
template <class Id>
VOXCC_INLINE Id leading(const Id* labels, Id value, Isa isa) {
#ifdef VOXCC_X86
    if (isa != Isa::portable) return leading_avx2(labels, value);
#else
    (void)isa;
#endif
    return Id(1 + (labels[1] == value));
}

}  // namespace voxcc::block_runs
