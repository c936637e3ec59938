// Copies of labels: integers of three bytes to 32 bits, and copies that bypass the caches.
#include "kernels3d/simd/simd.h"

#include <algorithm>
#include <cstring>
#ifdef VOXCC_X86
#include <immintrin.h>
#endif

namespace voxcc::block_runs {
namespace {

using std::int64_t;
using std::uint32_t;
using std::uint8_t;

void widen_portable(const uint8_t* from, int64_t first, int64_t n, uint32_t* to) {
    for (int64_t i = first; i < n; ++i) to[i] = uint32_t(from[3 * i]) | uint32_t(from[3 * i + 1]) << 8 | uint32_t(from[3 * i + 2]) << 16;
}

#ifdef VOXCC_X86
[[VOXCC_AVX2]] void widen_avx2(const uint8_t* from, int64_t n, uint32_t* to) {
    const __m256i bytes = _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,  //
                                           0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    int64_t i = 0;
    for (; i + 10 <= n; i += 8) {  // needs 10 integers: the loads read 28 bytes, and eight integers have 24
        const auto* const in = reinterpret_cast<const __m128i*>(from + 3 * i);
        const auto* const next = reinterpret_cast<const __m128i*>(from + 3 * i + 12);
        const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(in)), _mm_loadu_si128(next), 1);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_shuffle_epi8(both, bytes));
    }
    widen_portable(from, i, n, to);
}
#endif

}  // namespace

void widen_three_bytes(Isa isa, const uint8_t* from, int64_t n, uint32_t* to) {
#ifdef VOXCC_X86
    if (isa != Isa::portable) return widen_avx2(from, n, to);
#endif
    (void)isa;
    widen_portable(from, 0, n, to);
}

void stream_copy(const void* from, int64_t bytes, void* to) {
    auto* in = static_cast<const std::byte*>(from);
    auto* out = static_cast<std::byte*>(to);
#ifdef VOXCC_X86
    const auto before = std::min<int64_t>(bytes, -reinterpret_cast<std::intptr_t>(out) & 15);
    std::copy_n(in, before, out);
    in += before, out += before, bytes -= before;
    for (; bytes >= 16; in += 16, out += 16, bytes -= 16)
        _mm_stream_si128(reinterpret_cast<__m128i*>(out), _mm_loadu_si128(reinterpret_cast<const __m128i*>(in)));
#endif
    std::copy_n(in, bytes, out);
}

}  // namespace voxcc::block_runs
