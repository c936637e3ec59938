// The voxels of a tree, sorted by value.
#pragma once
#include <voxcc/tree.h>
#include "kernels3d/base/buffer.h"

namespace voxcc::tree {

/// A grid with a column after each row and a row after each slice, which no voxel has. A step to a neighbour is the same difference of
/// indices for all voxels, and a step out of the volume leads to such a column or row.
///   nx 3, ny 2:   . . . B        '.' voxel, 'B' border
///                 . . . B
///                 B B B B
class BorderedGrid {
public:
    BorderedGrid(const Extent& extent, Connectivity connectivity)
        : nx_(extent.nx),
          row_(extent.nx + 1),
          slice_(row_ * (extent.ny + 1)),
          slices_(extent.nz),
          lead_(row_ + 1 + (flat(connectivity) ? 0 : slice_)),
          by_row_(reciprocal(row_)),
          by_rows_(reciprocal(extent.ny + 1)) {}
    /// The number of cells, with those that steps from the first and the last voxel lead to.
    std::int64_t cells() const { return slices_ * slice_ + 2 * lead_; }
    /// The cell of voxel (0, y, z).
    std::int64_t row_cell(std::int64_t y, std::int64_t z) const { return lead_ + y * row_ + z * slice_; }
    /// The index of the voxel of a cell in raster order.
    std::uint32_t voxel(std::uint32_t cell) const {
        const auto inner = std::uint32_t(cell - lead_);
        const std::uint32_t row = quotient(inner, by_row_), slice = quotient(row, by_rows_);
        return std::uint32_t(inner - row - slice * nx_);
    }
    std::int64_t step(int dx, int dy, int dz) const { return dx + dy * row_ + dz * slice_; }

private:
    static bool flat(Connectivity c) { return c == Connectivity::c4 || c == Connectivity::c8; }
    // n / d = n * ceil(2^64 / d) / 2^64 for n and d below 2^32, d > 1 (Lemire, Kaser, Kurz 2019).
    static std::uint64_t reciprocal(std::int64_t d) { return ~std::uint64_t{0} / std::uint64_t(d) + 1; }
    static std::uint32_t quotient(std::uint32_t n, std::uint64_t reciprocal) {
        return std::uint32_t((static_cast<unsigned __int128>(reciprocal) * n) >> 64);
    }
    std::int64_t nx_, row_, slice_, slices_, lead_;
    std::uint64_t by_row_, by_rows_;
};

/// The cells of the voxels in ascending order of (value, raster index).
struct ValueOrder {
    std::uint32_t size = 0;
    Buffer<std::uint32_t> cells;
    std::vector<std::uint64_t> levels;  // bit p % 64 of word p / 64: the value at p differs from the value at p - 1
    bool begins_level(std::uint32_t p) const { return levels[p / 64] >> p % 64 & 1; }
};

/// @throw as component_tree()
ValueOrder sort_voxels(const VolumeView& volume, const TreeRule& rule, const BorderedGrid& grid, const TreeExecution& execution);

}  // namespace voxcc::tree
