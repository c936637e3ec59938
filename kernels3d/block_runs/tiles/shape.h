// How a volume is cut into tiles, and the arrays that hold what is known of them.
//
// A tile is 64 block-rows (rows.h) of 64 columns: 8 x 8 of them where connectivity crosses slices, else 64 of one slice. A row of voxels of
// a tile is one 64-bit word; the rows of a block-row lie together. A block-row has at most 32 runs, so a tile has at most 2048, which are
// numbered by block-row and column. The components of a tile on its own are its roots, numbered in the order of their first runs; the
// forest of the volume lies over roots: id = tile * 2048 + root.
// By equal values a new value starts a new run. Then a block-row is a single row for every connectivity, with at most 64 runs, 4096 a tile;
// where they start is a second word a row.
#pragma once
#include "kernels3d/block_runs/rows.h"
#include "kernels3d/exec/executor.h"

namespace voxcc::block_runs::tiles {

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

inline constexpr int block_rows = 64, columns = 64;

/// The block-rows before a block-row that it may touch (rows.h): before (y-1), below (z-1), and the two diagonals.
enum class Before : std::uint8_t { before, below, below_before, below_after };
VOXCC_HD constexpr int step_y(Before r) { return r == Before::below ? 0 : r == Before::below_after ? 1 : -1; }
VOXCC_HD constexpr int step_z(Before r) { return r == Before::before ? 0 : -1; }

/// @tparam R foreground or equal_values
template <Connectivity K, Rule R = Rule::foreground>
struct TileShape {
    static constexpr bool by_value = R == Rule::equal_values;
    static constexpr int rows_y = by_value ? 1 : links_of<K>.rows_y, rows_z = by_value ? 1 : links_of<K>.rows_z;
    static constexpr int depth = rows_y * rows_z;  // rows of a block-row
    static constexpr bool crosses_slices = links_of<K>.has_below();
    static constexpr int blocks_y = crosses_slices ? 8 : 64, blocks_z = block_rows / blocks_y;
    static constexpr int rows = block_rows * depth;
    static constexpr int words = by_value ? 2 * rows : rows;  // that a tile keeps: its rows; by value then where their runs start
    static constexpr int most_runs = block_rows * columns / (by_value ? 1 : 2);
    static constexpr uint32_t most_tiles = ~uint32_t{0} / most_runs;
    static constexpr uint32_t most_voxels = by_value ? ~uint32_t{0} >> 1 : ~uint32_t{0} - 1;             // by value each may be a component
    static constexpr int size_y = blocks_y * rows_y, size_z = blocks_z * rows_z;                         // voxels
    static constexpr int relations = links_of<K>.has_diagonals() ? 4 : links_of<K>.has_below() ? 2 : 1;  // those of Before

    /// Where row r lies in its tile.
    VOXCC_HD static constexpr int row_y(int r) { return r / depth % blocks_y * rows_y + r % depth % rows_y; }
    VOXCC_HD static constexpr int row_z(int r) { return r / depth / blocks_y * rows_z + r % depth / rows_y; }
    VOXCC_HD static constexpr int row_at(int y, int z) { return block_row_at(y, z) * depth + z % rows_z * rows_y + y % rows_y; }
    VOXCC_HD static constexpr int block_row_at(int y, int z) { return z / rows_z * blocks_y + y / rows_y; }

    static constexpr exec::Grid tiles_of(const exec::Grid& size) {
        const auto pieces = [](uint32_t n, uint32_t piece) { return n / piece + (n % piece != 0); };
        return {pieces(size.x, columns), pieces(size.y, size_y), pieces(size.z, size_z)};
    }
};

/// The connectivity whose tiles stand for those of K in phases that use all of the shape but `relations`: kernels that would be equal are
/// compiled once.
template <Connectivity K, Rule R>
inline constexpr Connectivity same_rows = R != Rule::equal_values           ? K
                                          : TileShape<K, R>::crosses_slices ? Connectivity::c6
                                                                            : Connectivity::c4;

/// What a block-row has to do with one of those before it in its tile.
struct Partner {
    bool inside;
    int block_row;
};
template <class Shape>
VOXCC_HD inline Partner partner_in_tile(int block_row, Before which) {
    const int y = block_row % Shape::blocks_y + step_y(which), z = block_row / Shape::blocks_y + step_z(which);
    return {y >= 0 && y < Shape::blocks_y && z >= 0, z * Shape::blocks_y + y};
}

/// The outermost columns of all tiles of a column of tiles, a bit a voxel: words of 16 rows in y (8 where a tile has no more), so that
/// neighbours across tiles are found without looking for their tiles.
template <Connectivity K>
struct FaceLines {
    using Shape = TileShape<K>;
    static constexpr int rows = Shape::size_y < 16 ? 8 : 16, in_y = Shape::size_y / rows, in_tile = in_y * Shape::size_z;
    exec::Grid size, tiles;
    VOXCC_HD int64_t count() const { return int64_t(tiles.x) * size.z * tiles.y * in_y; }
    VOXCC_HD int64_t at(uint32_t tile_x, uint32_t z, uint32_t line) const { return (int64_t(tile_x) * size.z + z) * tiles.y * in_y + line; }
};

/// 256 voxels in raster order; a bit is set where a component has its first voxel.
struct alignas(16) Stretch {
    static constexpr uint32_t voxels = 256;
    uint32_t words[8];
    /// As many as there are of a volume; the last two have no marks, so that a prefix sum ends with the sum of all.
    static int64_t in(const exec::Grid& size) { return size.cells() / voxels + 2; }
};

/// How many runs and roots a tile has.
struct Counts {
    uint32_t both;  // runs | roots << 16
    VOXCC_HD int runs() const { return int(both & 0xffff); }
    VOXCC_HD int roots() const { return int(both >> 16); }
};

/// A component that lies in one tile, beside its number, which has 31 bits: of fewer than 2^32 - 1 voxels less than 2^31 are no neighbours
/// (by value there are fewer voxels than that).
inline constexpr uint32_t whole = uint32_t{1} << 31;

/// All in the executor's memory; [tile][] is what a tile has.
struct TileArrays {
    exec::Grid size, tiles;                 // voxels, tiles
    uint64_t* rows;                         // [tile][words of the shape]
    uint16_t* first_run;                    // [tile][64] the runs before each block-row; not of tiles without runs
    Counts* counts;                         // [tile]
    uint16_t* root_of_run;                  // [tile][most runs]
    uint32_t* parent;                       // [tile][most runs] by root, a parent's id; once numbered, the component's number | whole
    uint32_t* first;                        // [tile][most runs] by root, first voxel in raster order; of the forest's roots the component's
    uint32_t* joined;                       // [tile][most runs / 32] a bit a root: whether it is the root of others
    uint16_t *low_face, *high_face;         // FaceLines of columns 0 and 63
    int64_t stretches, stretches_per_tile;  // the latter is a tile's share when marks are cleared
    Stretch* marks;                         // [stretches]
    uint32_t* before;                       // [stretches] first voxels before each stretch

    VOXCC_HD exec::Cell place(uint32_t tile) const { return {tile % tiles.x, tile / tiles.x % tiles.y, tile / tiles.x / tiles.y}; }
    VOXCC_HD uint32_t tile_at(const exec::Cell& c) const { return (c.z * tiles.y + c.y) * tiles.x + c.x; }
};

}  // namespace voxcc::block_runs::tiles
