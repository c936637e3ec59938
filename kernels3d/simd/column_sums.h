// Sums over columns of a block-row that belong to one component: the columns, and the conversion to the sums of the component.
#pragma once
#include "kernels3d/simd/isa.h"
#include "kernels3d/simd/near_sums.h"

#include <bit>

namespace voxcc::block_runs {

/// The rows of a cross-section from a word on: row r starts at bits + r * stride.
struct BitRows {
    const std::uint64_t* bits;
    std::int64_t stride;  // words
};

/// Up to 64 columns of the rows. The columns start at bit `shift` of the first word of each row; `mask` selects among them. The second word
/// of each row is also read.
struct Window {
    BitRows rows;
    int shift;
    std::uint64_t mask;

    VOXCC_INLINE std::uint64_t row(int r) const {
        const std::uint64_t* const at = rows.bits + r * rows.stride;
        return moved(at[0], at[1]);
    }
    /// The columns in which any of R rows has a bit.
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

/// The columns of 1 to `most` words of the rows. Masks select the columns of the first and of the last word.
struct WordRange {
    static constexpr std::int64_t most = 1 << 14;  // the sums of squares then fit 64 bits
    BitRows rows;
    std::int64_t words;
    std::uint64_t first_mask, last_mask;

    VOXCC_INLINE std::uint64_t mask(std::int64_t w) const {
        return (w == 0 ? first_mask : ~std::uint64_t{0}) & (w == words - 1 ? last_mask : ~std::uint64_t{0});
    }
    /// The columns of word w in which any of R rows has a bit.
    template <int R>
    VOXCC_INLINE std::uint64_t columns(std::int64_t w) const {
        std::uint64_t any = 0;
        for (int r = 0; r < R; ++r) any |= rows.bits[r * rows.stride + w];
        return any & mask(w);
    }
};

/// Moments of voxels of a cross-section in a packed form: y and z are 0 or 1, so the moments of y and z are counts.
/// Columns x are counted from the first column. `y`: only voxels in rows with y = 1; `z`: only z = 1.
struct ColumnSums {
    std::uint64_t n = 0, ny = 0, nz = 0, nyz = 0, x = 0, xy = 0, xz = 0, xx = 0;
    std::int64_t last = 0;  // last column with a voxel

    /// The columns 0 to count - 1 of a cross-section of one row.
    VOXCC_INLINE static ColumnSums of_run(std::uint64_t count) {
        ColumnSums s;
        s.add<1>(0, 0, count);
        return s;
    }
    /// Adds the columns a to a + count - 1 of row r of the cross-section.
    template <int RY>
    VOXCC_INLINE void add(int r, std::uint64_t a, std::uint64_t count) {
        const auto part = Moments<std::uint64_t>::stretch(a, count);
        n += part.n, x += part.x, xx += part.xx;
        if (r % RY) ny += part.n, xy += part.x;
        if (r / RY) nz += part.n, xz += part.x;
        if (r % RY && r / RY) nyz += part.n;
        last = std::max(last, std::int64_t(a + count - 1));
    }
    /// The moments relative to column 0 of the first row.
    /// @tparam RY, RZ rows of the cross-section along y and z; along an axis with one row, the sums are the constant 0
    template <class Int, int RY, int RZ>
    VOXCC_INLINE Moments<Int> moments() const {
        Moments<Int> s;
        s.n = Int(n), s.x = Int(x), s.xx = Int(xx);
        if (RY == 2) s.y = s.yy = Int(ny), s.xy = Int(xy);
        if (RZ == 2) s.z = s.zz = Int(nz), s.xz = Int(xz);
        if (RY * RZ == 4) s.yz = Int(nyz);
        return s;
    }
    /// Sums in voxel indices, without the bounding box along x. Column 0 is at x = `origin`; the first row of the cross-section is at
    /// (at_y, at_z).
    template <class Wide, int RY, int RZ>
    VOXCC_INLINE Sums<Wide> sums(std::uint64_t origin, std::uint64_t at_y, std::uint64_t at_z) const {
        Sums<Wide> s{moments<std::uint64_t, RY, RZ>().template as<std::uint64_t, Wide>().shifted(origin, at_y, at_z)};
        s.y0 = std::uint32_t(at_y + (RY == 2 && ny == n)), s.y1 = std::uint32_t(at_y + (ny != 0));
        s.z0 = std::uint32_t(at_z + (RZ == 2 && nz == n)), s.z1 = std::uint32_t(at_z + (nz != 0));
        return s;
    }
    /// Sums relative to column 0 of the first row, without the last column of the bounding box.
    template <int RY, int RZ>
    VOXCC_INLINE NearSums near_sums() const {
        NearSums s{moments<std::int32_t, RY, RZ>()};
        if (RY == 2) s.y0 = ny == n, s.y1 = ny != 0;
        if (RZ == 2) s.z0 = nz == n, s.z1 = nz != 0;
        return s;
    }
};

}  // namespace voxcc::block_runs
