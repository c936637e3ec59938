// Sums over columns of a block-row, all of one component: what they are of, and how sums of a component follow.
#pragma once
#include "kernels3d/measure/compact_sums.h"
#include "kernels3d/simd/isa.h"

#include <bit>

namespace voxcc::block_runs {

/// The rows of a cross-section from some word on: row r lies at bits + r * stride.
struct BitRows {
    const std::uint64_t* bits;
    std::int64_t stride;  // words
};

/// Up to 64 columns of those rows: from bit `shift` of their first word on, of them those in `mask`. The second word is read, too.
struct Window {
    BitRows rows;
    int shift;
    std::uint64_t mask;

    VOXCC_INLINE std::uint64_t row(int r) const {
        const std::uint64_t* const at = rows.bits + r * rows.stride;
        return moved(at[0], at[1]);
    }
    /// Those in which any of R rows has a bit.
    template <int R>
    VOXCC_INLINE std::uint64_t columns() const {
        std::uint64_t first = 0, second = 0;
        for (int r = 0; r < R; ++r) first |= rows.bits[r * rows.stride], second |= rows.bits[r * rows.stride + 1];
        return moved(first, second);
    }

private:
    VOXCC_INLINE std::uint64_t moved(std::uint64_t first, std::uint64_t second) const {
        return (first >> shift | second << 1 << (63 - shift)) & mask;
    }
};

/// The columns of 1 to `most` words of those rows; of the first and the last word what their masks say.
struct WordRange {
    static constexpr std::int64_t most = 1 << 14;  // 64 bits then hold sums of squares
    BitRows rows;
    std::int64_t words;
    std::uint64_t first_mask, last_mask;

    VOXCC_INLINE std::uint64_t mask(std::int64_t w) const {
        return (w == 0 ? first_mask : ~std::uint64_t{0}) & (w == words - 1 ? last_mask : ~std::uint64_t{0});
    }
    /// Those of word w in which any of R rows has a bit.
    template <int R>
    VOXCC_INLINE std::uint64_t columns(std::int64_t w) const {
        std::uint64_t any = 0;
        for (int r = 0; r < R; ++r) any |= rows.bits[r * rows.stride + w];
        return any & mask(w);
    }
};

/// 0^2 + 1^2 + ... + (n - 1)^2, n at most 2^20
constexpr std::uint64_t squares_below(std::uint64_t n) { return n * (n - 1) * (2 * n - 1) / 6; }

/// Sums over columns x, counted from the first: of all voxels, of those in rows with y + 1, with z + 1, with both.
struct ColumnSums {
    std::uint64_t n = 0, ny = 0, nz = 0, nyz = 0, x = 0, xy = 0, xz = 0, xx = 0;
    std::int64_t last = 0;  // column with a voxel

    /// Of a run of one row.
    VOXCC_INLINE static ColumnSums of_run(std::uint64_t count) {
        ColumnSums s;
        s.n = count, s.x = count * (count - 1) / 2, s.xx = squares_below(count), s.last = std::int64_t(count) - 1;
        return s;
    }
    /// Adds columns a to a + count - 1 of row r of the cross-section.
    template <int RY>
    VOXCC_INLINE void add(int r, std::uint64_t a, std::uint64_t count) {
        const std::uint64_t pairs = count * (count - 1), sum = count * a + pairs / 2;
        n += count, x += sum, xx += a * (sum + pairs / 2) + squares_below(count);
        if (r % RY) ny += count, xy += sum;
        if (r / RY) nz += count, xz += sum;
        if (r % RY && r / RY) nyz += count;
        last = std::max(last, std::int64_t(a + count - 1));
    }
    /// Sums in voxel indices, but for the box along x. Column 0 is at `origin`, the first row of the cross-section at (at_y, at_z).
    template <class Wide, int RY, int RZ>
    VOXCC_INLINE Sums<Wide> sums(std::uint64_t origin, std::uint64_t at_y, std::uint64_t at_z) const {
        const Wide X = origin, Y = at_y, Z = at_z;
        Sums<Wide> s;
        s.n = n, s.x = x + origin * n, s.y = ny + at_y * n, s.z = nz + at_z * n;
        s.xx = xx + X * (Wide(s.x) + x), s.yy = Y * (Wide(s.y) + ny) + ny, s.zz = Z * (Wide(s.z) + nz) + nz;
        s.xy = Y * s.x + X * ny + xy, s.xz = Z * s.x + X * nz + xz, s.yz = Z * s.y + Y * nz + nyz;
        s.y0 = std::uint32_t(at_y + (RY == 2 && ny == n)), s.y1 = std::uint32_t(at_y + (ny != 0));
        s.z0 = std::uint32_t(at_z + (RZ == 2 && nz == n)), s.z1 = std::uint32_t(at_z + (nz != 0));
        return s;
    }
    /// The same of a window, but for its last column.
    template <int RY, int RZ>
    VOXCC_INLINE NearSums near_sums() const {
        NearSums s;
        s.n = std::int32_t(n), s.x = std::int32_t(x), s.xx = std::int32_t(xx);
        if (RY == 2) s.y = s.yy = std::int32_t(ny), s.xy = std::int32_t(xy), s.y0 = ny == n, s.y1 = ny != 0;
        if (RZ == 2) s.z = s.zz = std::int32_t(nz), s.xz = std::int32_t(xz), s.z0 = nz == n, s.z1 = nz != 0;
        if (RY * RZ == 4) s.yz = std::int32_t(nyz);
        return s;
    }
};

}  // namespace voxcc::block_runs
