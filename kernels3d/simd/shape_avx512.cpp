// count_shape() for AVX-512: eight words at a time. One instruction counts the set bits of each word.
#include "kernels3d/simd/shape_sets.h"

#ifdef VOXCC_X86
#include "kernels3d/simd/shape_vectors.h"

#include <immintrin.h>

namespace voxcc::block_runs {
namespace {

typedef std::uint64_t Vector __attribute__((vector_size(64)));

}  // namespace

template <Cells cells>
[[VOXCC_AVX512]] void count_shape_avx512(const ShapeRows& rows, std::int64_t count, ShapeCounts& to) {
    using Vectors = ShapeVectors<Vector>;
    constexpr int counters = shape_counters<cells>;
    __m512i sums[counters] = {};
    for (std::int64_t i = 0; i < count; i += Vectors::lanes) {
        ShapeWords<Vector> words;
        Vectors::load(words, rows, i);
        Vector own = words.own.here, bits[counters];
        if (count - i < Vectors::lanes) own = Vector(_mm512_maskz_mov_epi64(__mmask8((1u << (count - i)) - 1), __m512i(own)));
        shape_bits<cells>(words, own, bits);
#pragma GCC unroll 22
        for (int c = 0; c < counters; ++c) sums[c] = _mm512_add_epi64(sums[c], _mm512_popcnt_epi64(__m512i(bits[c])));
    }
    std::uint64_t total[counters];
    for (int c = 0; c < counters; ++c) total[c] = std::uint64_t(_mm512_reduce_add_epi64(sums[c]));
    add_shape_totals<cells>(total, to);
}

template void count_shape_avx512<Cells::closed>(const ShapeRows&, std::int64_t, ShapeCounts&);
template void count_shape_avx512<Cells::split>(const ShapeRows&, std::int64_t, ShapeCounts&);
template void count_shape_avx512<Cells::open>(const ShapeRows&, std::int64_t, ShapeCounts&);

}  // namespace voxcc::block_runs
#endif
