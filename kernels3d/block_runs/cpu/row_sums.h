// Sums over the voxels that one component has in one block-row, from stretches of bits in closed form.
#pragma once
#include "kernels3d/block_runs/cpu/contacts.h"
#include "kernels3d/block_runs/cpu/isa.h"
#include "kernels3d/compact_sums.h"

#include <bit>
#ifdef VOXCC_X86
#include <immintrin.h>
#endif

namespace voxcc::block_runs {

/// 0^2 + 1^2 + ... + (n - 1)^2
inline constexpr std::array<std::uint32_t, 65> squares_below = [] {
    std::array<std::uint32_t, 65> t{};
    for (std::uint32_t n = 1; n <= 64; ++n) t[n] = t[n - 1] + (n - 1) * (n - 1);
    return t;
}();

/// Sums of the voxels of two columns side by side, relative to the first column's voxel in the first row; without a loop or a branch.
/// @param rows of the cross-section: bit 0 is the first column, bit 1 the next; others are 0
template <int RY, int RZ>
VOXCC_INLINE NearSums sums_of_two_columns(const std::array<std::uint64_t, RY * RZ>& rows) {
    unsigned voxels = 0, next_x = 0, next_y = 0, next_z = 0;  // two bits a row: all that are set, and those of the next column, row, slice
    for (int r = 0; r < RY * RZ; ++r) {
        voxels |= unsigned(rows[std::size_t(r)]) << 2 * r;
        next_x |= 2u << 2 * r;
        if (r % RY) next_y |= 3u << 2 * r;
        if (r / RY) next_z |= 3u << 2 * r;
    }
    const auto count = [voxels](unsigned of) { return std::popcount(voxels & of); };
    NearSums s;
    s.n = std::popcount(voxels);
    s.x = s.xx = count(next_x), s.y = s.yy = count(next_y), s.z = s.zz = count(next_z);
    s.xy = count(next_x & next_y), s.xz = count(next_x & next_z), s.yz = count(next_y & next_z);
    s.x0 = s.x == s.n, s.x1 = s.x != 0;
    s.y0 = s.y == s.n, s.y1 = s.y != 0;
    s.z0 = s.z == s.n, s.z1 = s.z != 0;
    return s;
}

/// Columns count from the start of a section of at most 2^20 columns, so that 64 bits hold every sum; y, z and the section's place come
/// in once, when the component changes.
template <int RY, int RZ>
class RowSums {
public:
    static constexpr int R = RY * RZ;
    static constexpr std::int64_t section_words = 1 << 14;

    /// Set bits of m in row r, bit 0 at column `at`.
    VOXCC_INLINE void add(int r, std::uint64_t m, std::uint64_t at) {
        while (m) {
            const std::uint64_t filled = m + (m & -m);  // carries through the lowest stretch
            const std::uint64_t stretch = m & ~filled;
            const std::uint64_t a = at + std::uint64_t(std::countr_zero(m)), n = std::uint64_t(std::popcount(stretch)), pairs = n * (n - 1);
            n_[r] += n;
            x_[r] += n * a + pairs / 2;
            xx_ += a * (n * a + pairs) + squares_below[n];
            m &= filled;
        }
    }

    /// The columns that the component has in word w of the section, over all rows.
    VOXCC_INLINE void cover(std::uint64_t columns, std::uint32_t at) {
        x0_ = std::min(x0_, at + std::uint32_t(std::countr_zero(columns)));
        x1_ = at + 63 - std::uint32_t(std::countl_zero(columns));
    }

#ifdef VOXCC_X86
    /// Four whole words a row without a loop over stretches. With x = 8 B + b: x^2 = 16 (4 B^2 + B b) + b^2, summed a byte first; sums of
    /// b and b^2 over the set bits of a byte are popcounts of its bits masked by the binary digits of b.
    [[VOXCC_AVX512, gnu::noinline]] void add_four_words(const Columns* rows, std::uint64_t at) {
        const __m256i x = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(at)), _mm256_setr_epi64x(0, 64, 128, 192));
        const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi16(1), low = _mm256_set1_epi64x(0xffffffff);
        const __m256i B = _mm256_set1_epi64x(0x0706050403020100), BB = _mm256_set1_epi64x(0x3124191009040100);
        for (int r = 0; r < R; ++r) {
            const __m256i m = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&rows[r]));
            const __m256i n = _mm256_popcnt_epi8(m), c0 = count(m, 0xaa), c1 = count(m, 0xcc), c2 = count(m, 0xf0);
            const __m256i b = _mm256_add_epi8(c0, _mm256_add_epi8(_mm256_slli_epi16(c1, 1), _mm256_slli_epi16(c2, 2)));
            const __m256i bb = _mm256_add_epi8(
                _mm256_add_epi8(c0, _mm256_slli_epi16(_mm256_add_epi8(c1, count(m, 0x88)), 2)),
                _mm256_add_epi8(_mm256_slli_epi16(count(m, 0xa0), 3), _mm256_slli_epi16(_mm256_add_epi8(c2, count(m, 0xc0)), 4)));
            const __m256i all = _mm256_sad_epu8(n, zero);
            const __m256i s1 =
                _mm256_add_epi64(_mm256_sad_epu8(b, zero), _mm256_slli_epi64(_mm256_sad_epu8(_mm256_maddubs_epi16(n, B), zero), 3));
            const __m256i mixed =
                _mm256_madd_epi16(_mm256_add_epi16(_mm256_slli_epi16(_mm256_maddubs_epi16(n, BB), 2), _mm256_maddubs_epi16(b, B)), ones);
            const __m256i s2 =
                _mm256_add_epi64(_mm256_sad_epu8(bb, zero),
                                 _mm256_slli_epi64(_mm256_add_epi64(_mm256_srli_epi64(mixed, 32), _mm256_and_si256(mixed, low)), 4));
            const __m256i all_x = _mm256_mul_epu32(all, x);
            wide_n_[r] += reinterpret_cast<Columns>(all);
            wide_x_[r] += reinterpret_cast<Columns>(_mm256_add_epi64(all_x, s1));
            wide_xx_ +=
                reinterpret_cast<Columns>(_mm256_add_epi64(_mm256_mul_epu32(x, _mm256_add_epi64(all_x, _mm256_slli_epi64(s1, 1))), s2));
        }
        used_wide_ = true;
    }
#endif

    /// What was gathered; begins anew. The cross-section's first row lies at (y, z), the section at x.
    template <class Wide>
    VOXCC_INLINE Sums<Wide> take(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
        gather_wide();
        std::uint64_t n = 0, sx = 0;
        std::uint64_t ny = 0, xy = 0, nz = 0, xz = 0, nyz = 0;  // ny, xy: in rows with y + 1; nz, xz: in rows with z + 1; nyz: in both
        for (int r = 0; r < R; ++r) {
            n += n_[r], sx += x_[r];
            if (r % RY) ny += n_[r], xy += x_[r];
            if (r / RY) nz += n_[r], xz += x_[r];
            if (r % RY && r / RY) nyz += n_[r];
        }
        const Wide X = x, Y = y, Z = z;
        const Wide xx = xx_ + X * (X * n + 2 * Wide(sx));
        sx += x * n, xy += x * ny, xz += x * nz;
        Sums<Wide> part;
        part.n = n, part.x = sx, part.y = y * n + ny, part.z = z * n + nz;
        part.xx = xx, part.yy = Y * (Y * n + 2 * Wide(ny)) + ny, part.zz = Z * (Z * n + 2 * Wide(nz)) + nz;
        part.xy = Y * sx + xy, part.xz = Z * sx + xz, part.yz = Y * (Z * n + nz) + Z * ny + nyz;
        part.x0 = std::uint32_t(x) + x0_, part.x1 = std::uint32_t(x) + x1_;
        part.y0 = std::uint32_t(y + (RY == 2 && ny == n)), part.y1 = std::uint32_t(y + (ny != 0));
        part.z0 = std::uint32_t(z + (RZ == 2 && nz == n)), part.z1 = std::uint32_t(z + (nz != 0));
        for (int r = 0; r < R; ++r) n_[r] = x_[r] = 0;
        xx_ = 0, x0_ = ~std::uint32_t{0}, x1_ = 0;
        return part;
    }

private:
#ifdef VOXCC_X86
    [[VOXCC_AVX512, gnu::always_inline]] static inline __m256i count(__m256i m, unsigned digits) {
        return _mm256_popcnt_epi8(_mm256_and_si256(m, _mm256_set1_epi8(static_cast<char>(digits))));
    }
#endif
    static std::uint64_t total(const Columns& v) { return v[0] + v[1] + v[2] + v[3]; }
    VOXCC_INLINE void gather_wide() {
        if (!used_wide_) return;
        for (int r = 0; r < R; ++r) {
            n_[r] += total(wide_n_[r]), x_[r] += total(wide_x_[r]);
            wide_n_[r] = wide_x_[r] = Columns{};
        }
        xx_ += total(wide_xx_);
        wide_xx_ = Columns{};
        used_wide_ = false;
    }
    std::uint64_t n_[R] = {}, x_[R] = {}, xx_ = 0;
    Columns wide_n_[R] = {}, wide_x_[R] = {}, wide_xx_ = {};
    std::uint32_t x0_ = ~std::uint32_t{0}, x1_ = 0;
    bool used_wide_ = false;
};

}  // namespace voxcc::block_runs
