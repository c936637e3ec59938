// count_shape() for AVX2: four words at a time. Set bits are counted per byte by a table of 16 entries. The bytes are added up after at
// most 31 vectors, before a byte can exceed 255.
#include "kernels3d/simd/shape_sets.h"

#ifdef VOXCC_X86
#include "kernels3d/simd/shape_vectors.h"

#include <immintrin.h>
#include <algorithm>

namespace voxcc::block_runs {
namespace {

typedef std::uint64_t Vector __attribute__((vector_size(32)));

/// The number of set bits of each byte.
[[VOXCC_AVX2, gnu::always_inline]] inline __m256i bits_of_bytes(__m256i bits) {
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(bits, nibble)),
                           _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(bits, 4), nibble)));
}

}  // namespace

template <Cells cells>
[[VOXCC_AVX2]] void count_shape_avx2(const ShapeRows& rows, std::int64_t count, ShapeCounts& to) {
    using Vectors = ShapeVectors<Vector>;
    constexpr std::int64_t at_once = 31 * Vectors::lanes;
    constexpr int counters = shape_counters<cells>;
    std::uint64_t total[counters] = {};
    for (std::int64_t first = 0; first < count; first += at_once) {
        __m256i bytes[counters] = {};
        const std::int64_t end = std::min(count, first + at_once);
        for (std::int64_t i = first; i < end; i += Vectors::lanes) {
            ShapeWords<Vector> words;
            Vectors::load(words, rows, i);
            Vector own = words.own.here, bits[counters];
            if (end - i < Vectors::lanes) {
                Vector used;
                Vectors::first_lanes(used, end - i);
                own &= used;
            }
            shape_bits<cells>(words, own, bits);
#pragma GCC unroll 22
            for (int c = 0; c < counters; ++c) bytes[c] = _mm256_add_epi8(bytes[c], bits_of_bytes(__m256i(bits[c])));
        }
        for (int c = 0; c < counters; ++c) {
            const __m256i sums = _mm256_sad_epu8(bytes[c], _mm256_setzero_si256());
            const __m128i halves = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
            total[c] += std::uint64_t(_mm_cvtsi128_si64(halves)) + std::uint64_t(_mm_extract_epi64(halves, 1));
        }
    }
    add_shape_totals<cells>(total, to);
}

template void count_shape_avx2<Cells::closed>(const ShapeRows&, std::int64_t, ShapeCounts&);
template void count_shape_avx2<Cells::split>(const ShapeRows&, std::int64_t, ShapeCounts&);
template void count_shape_avx2<Cells::open>(const ShapeRows&, std::int64_t, ShapeCounts&);

}  // namespace voxcc::block_runs
#endif
