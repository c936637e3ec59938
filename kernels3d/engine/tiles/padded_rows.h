// The rows of a tile and the rows around it, for phases that look at all neighbours of a voxel.
#pragma once
#include <voxcc/label.h>
#include "kernels3d/engine/tiles/join.h"

namespace voxcc::block_runs::tiles {

/// Axes as bits: 1 for x, 2 for y, 4 for z.
using Axes = uint32_t;
inline Axes axes_of(const AxisSet& periodic) { return Axes(periodic.axes[0]) | Axes(periodic.axes[1]) << 1 | Axes(periodic.axes[2]) << 2; }

/// A coordinate outside of the volume.
inline constexpr uint32_t no_voxel = ~uint32_t{0};

/// The rows of a tile, the rows beside it in y, and the rows below it in z. Rows of one slice follow each other.
template <class Shape>
struct PaddedRows {
    static constexpr int below = Shape::crosses_slices ? 1 : 0;
    static constexpr int in_y = Shape::size_y + 2, in_z = Shape::size_z + below, count = in_y * in_z;

    /// Index of a row, and the inverse; y and z are relative to the tile.
    VOXCC_HD static constexpr int at(int y, int z) { return (z + below) * in_y + y + 1; }
    VOXCC_HD static constexpr int y_of(int index) { return index % in_y - 1; }
    VOXCC_HD static constexpr int z_of(int index) { return index / in_y - below; }
};

inline constexpr uint32_t no_tile = ~uint32_t{0};

/// One row of a tile.
struct RowOfTile {
    uint32_t tile;  // no_tile: the row lies outside of the volume
    int row;
};

/// Finds the rows and columns around a tile, also across the ends of periodic axes.
template <class Shape>
struct Surroundings {
    const TileArrays& arrays;
    exec::Cell place;                  // of the tile
    uint32_t left_tile, left_column;   // the column before column 0: position of its tile in x (no_tile: outside), and its column there
    uint32_t right_tile, last_column;  // column 0 of `right_tile` follows column `last_column` of the tile
    bool wraps_y, wraps_z;

    VOXCC_HD Surroundings(const TileArrays& all, uint32_t tile, Axes periodic)
        : arrays(all),
          place(all.place(tile)),
          wraps_y(bool(periodic & 2) && all.size.y > 1),
          wraps_z(bool(periodic & 4) && all.size.z > 1) {
        const bool wraps_x = bool(periodic & 1) && all.size.x > 1, is_last = place.x + 1 == all.tiles.x;
        left_tile = place.x > 0 ? place.x - 1 : wraps_x ? all.tiles.x - 1 : no_tile;
        left_column = place.x > 0 ? columns - 1 : (all.size.x - 1) % columns;
        right_tile = !is_last ? place.x + 1 : wraps_x ? 0 : no_tile;
        last_column = is_last ? (all.size.x - 1) % columns : columns - 1;
    }
    /// @param y, z relative to the tile
    VOXCC_HD bool contains(int y, int z) const {
        return place.y * Shape::size_y + uint32_t(y) < arrays.size.y && place.z * Shape::size_z + uint32_t(z) < arrays.size.z;
    }
    /// A row of PaddedRows, in its own tile.
    VOXCC_HD RowOfTile row(int padded) const {
        const int64_t y = int64_t(place.y) * Shape::size_y + PaddedRows<Shape>::y_of(padded),
                      z = int64_t(place.z) * Shape::size_z + PaddedRows<Shape>::z_of(padded);
        const uint32_t in_y = inside(y, arrays.size.y, wraps_y), in_z = inside(z, arrays.size.z, wraps_z);
        if (in_y == no_voxel || in_z == no_voxel) return {no_tile, 0};
        return {arrays.tile_at({place.x, in_y / Shape::size_y, in_z / Shape::size_z}),
                Shape::row_at(int(in_y % Shape::size_y), int(in_z % Shape::size_z))};
    }
    /// The tile at position `tile_x` that contains the same row.
    VOXCC_HD uint32_t beside(uint32_t tile, uint32_t tile_x) const { return tile - place.x + tile_x; }
    VOXCC_HD uint64_t word(uint32_t tile, int row) const { return arrays.rows[int64_t(tile) * Shape::words + row]; }
    VOXCC_HD uint64_t starts(uint32_t tile, int row) const {
        return starts_of<Shape>(arrays.rows + int64_t(tile) * Shape::words, row / Shape::depth);
    }

private:
    /// The coordinate `at`, of which -1 and n may lie across the ends of the axis; no_voxel: outside.
    VOXCC_HD static uint32_t inside(int64_t at, uint32_t n, bool wraps) {
        if (at >= 0 && at < int64_t(n)) return uint32_t(at);
        if (!wraps) return no_voxel;
        return at == -1 ? n - 1 : at == int64_t(n) ? 0 : no_voxel;
    }
};

/// The number of the component to which a run of a tile belongs.
template <class Shape>
VOXCC_HD inline uint32_t number_of_run(const TileArrays& arrays, uint32_t tile, uint32_t run) {
    const int64_t base = int64_t(tile) * Shape::most_runs;
    return arrays.numbers[base + arrays.root_of_run[base + run]] & ~in_one_tile;
}

}  // namespace voxcc::block_runs::tiles
