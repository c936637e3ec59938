// How a volume is cut into tiles, and the arrays that hold the data of tiles.
//
// A tile is 64 block-rows (rows.h) of 64 columns: 8 x 8 block-rows if the connectivity crosses slices, else 64 block-rows of one slice.
// One row of voxels of a tile is a 64-bit word. The rows of a block-row are adjacent in memory. A block-row has at most 32 runs, so a
// tile has at most 2048. Runs of a tile are numbered by block-row and column.
//
// The components of a tile on its own are called its roots. Roots are numbered in the order of their first runs. The forest of the volume
// consists of roots: id = tile * 2048 + root.
//
// For Rule::equal_values a new value starts a new run. Then a block-row is a single row for every connectivity. It has at most 64 runs,
// and a tile at most 4096. Each row has a second word, for the columns in which runs start.
#pragma once
#include "kernels3d/engine/rows.h"
#include "kernels3d/exec/executor.h"

namespace voxcc::block_runs::tiles {

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

inline constexpr int block_rows = 64, columns = 64;

/// The block-rows before a block-row that it may touch (rows.h): before (y - 1), below (z - 1), and the two diagonals.
enum class Before : std::uint8_t { before, below, below_before, below_after };
VOXCC_HD constexpr int step_y(Before r) { return r == Before::below ? 0 : r == Before::below_after ? 1 : -1; }
VOXCC_HD constexpr int step_z(Before r) { return r == Before::before ? 0 : -1; }

/// @tparam R Rule::foreground or Rule::equal_values
template <Connectivity K, Rule R = Rule::foreground>
struct TileShape {
    static constexpr bool by_value = R == Rule::equal_values;
    static constexpr int rows_y = by_value ? 1 : links_of<K>.rows_y, rows_z = by_value ? 1 : links_of<K>.rows_z;
    static constexpr int depth = rows_y * rows_z;  // number of rows per block-row
    static constexpr bool crosses_slices = links_of<K>.has_below();
    static constexpr int blocks_y = crosses_slices ? 8 : 64, blocks_z = block_rows / blocks_y;
    static constexpr int rows = block_rows * depth;
    static constexpr int words = by_value ? 2 * rows : rows;  // words per tile: its rows; for equal_values then the starts of runs
    static constexpr int most_runs = block_rows * columns / (by_value ? 1 : 2);
    /// Lanes per tile in phase "number". Smooth shapes have few roots per tile. Small tiles have fewer lanes, so that more tiles are in
    /// progress at the same time: a GPU has room for 2^18 lanes.
    static constexpr int root_lanes = by_value || !crosses_slices || depth >= 4 ? 32 : 16;
    /// Whether phase "join" shortens the paths from the roots of tiles to the roots of the forest. With 26 and 18 neighbours, most paths
    /// have one step, and the attempt costs more than it gains.
    static constexpr bool shortens_paths = !by_value && (!crosses_slices || depth == 1);
    /// Bits per row of a tile in the marks of first voxels. Two adjacent voxels of a row belong to one component, so at most one of them is
    /// its first voxel and one bit is enough for both.
    static constexpr uint32_t marks_per_row = by_value ? columns : columns / 2, words_of_marks = marks_per_row / 32;
    static constexpr uint32_t most_tiles = ~uint32_t{0} / most_runs;
    /// For equal_values each voxel may be a component, and numbers of components have 31 bits.
    static constexpr uint32_t most_voxels = by_value ? ~uint32_t{0} >> 1 : ~uint32_t{0} - 1;
    static constexpr int size_y = blocks_y * rows_y, size_z = blocks_z * rows_z;                         // in voxels
    static constexpr int relations = links_of<K>.has_diagonals() ? 4 : links_of<K>.has_below() ? 2 : 1;  // the values of Before

    /// Position of row r in its tile, and the inverse; y and z are relative to the tile.
    VOXCC_HD static constexpr int row_y(int r) { return r / depth % blocks_y * rows_y + r % depth % rows_y; }
    VOXCC_HD static constexpr int row_z(int r) { return r / depth / blocks_y * rows_z + r % depth / rows_y; }
    VOXCC_HD static constexpr int row_at(int y, int z) { return block_row_at(y, z) * depth + z % rows_z * rows_y + y % rows_y; }
    VOXCC_HD static constexpr int block_row_at(int y, int z) { return z / rows_z * blocks_y + y / rows_y; }

    static constexpr exec::Grid tiles_of(const exec::Grid& size) {
        const auto pieces = [](uint32_t n, uint32_t piece) { return n / piece + (n % piece != 0); };
        return {pieces(size.x, columns), pieces(size.y, size_y), pieces(size.z, size_z)};
    }
};

/// The connectivity whose tiles replace the tiles of K in phases that use all of the shape except `relations`. Equal kernels are then
/// compiled once.
template <Connectivity K, Rule R>
inline constexpr Connectivity same_rows = R != Rule::equal_values           ? K
                                          : TileShape<K, R>::crosses_slices ? Connectivity::c6
                                                                            : Connectivity::c4;

/// The block-row before a block-row in direction `which`. `block_row` is valid only if it lies inside the same tile.
struct Partner {
    bool inside;
    int block_row;
};
template <class Shape>
VOXCC_HD inline Partner partner_in_tile(int block_row, Before which) {
    const int y = block_row % Shape::blocks_y + step_y(which), z = block_row / Shape::blocks_y + step_z(which);
    return {y >= 0 && y < Shape::blocks_y && z >= 0, z * Shape::blocks_y + y};
}

/// The first and the last column of all tiles, one bit per voxel. A line is a word of 16 rows in y (8 if a tile has only 8). So
/// neighbours across tiles are found without a search for their tiles.
template <Connectivity K>
struct FaceLines {
    using Shape = TileShape<K>;
    // Rows per line, lines per tile in y, lines per tile.
    static constexpr int rows = Shape::size_y < 16 ? 8 : 16, in_y = Shape::size_y / rows, in_tile = in_y * Shape::size_z;
    exec::Grid size, tiles;
    VOXCC_HD int64_t count() const { return int64_t(tiles.x) * size.z * tiles.y * in_y; }
    /// Index of a line: [tile_x][z][line].
    VOXCC_HD int64_t at(uint32_t tile_x, uint32_t z, uint32_t line) const { return (int64_t(tile_x) * size.z + z) * tiles.y * in_y + line; }
};

/// 256 marks. The marks of a volume follow each other in raster order: marks_per_row marks for each row of each tile. The mark of the first
/// voxel of a component is set.
struct alignas(16) Stretch {
    static constexpr uint32_t marks = 256;
    uint32_t words[8];
    /// Number of stretches for the marks of a volume. The last one never has marks, so the last prefix sum is the total.
    static int64_t of(int64_t all_marks) { return all_marks / marks + 2; }
};

/// The number of marks of a volume.
template <class Shape>
int64_t marks_of(const exec::Grid& size) {
    return int64_t(size.y) * size.z * Shape::tiles_of(size).x * Shape::marks_per_row;
}

/// Number of runs and roots of a tile.
struct Counts {
    uint32_t both;  // runs | roots << 16
    VOXCC_HD int runs() const { return int(both & 0xffff); }
    VOXCC_HD int roots() const { return int(both >> 16); }
};

/// An entry of the forest: what is known of a root of a tile. Entries are loaded, stored and compared as words of 64 bits.
struct Root {
    uint32_t parent;  // id of its parent; its own id if it is a root of the forest
    uint32_t first;   // mark of the first voxel of `parent`, as a root of its tile

    VOXCC_HD static Root of(uint64_t word) { return {uint32_t(word), uint32_t(word >> 32)}; }
    /// The word whose minimum belongs to the parent with the earliest first voxel.
    VOXCC_HD uint64_t word() const { return uint64_t(first) << 32 | parent; }
};

/// Flag beside a number in TileArrays::numbers: the component lies in one tile. The number has 31 bits. A volume has at most 2^32 - 2
/// voxels, and at most every second voxel can be a component of its own. So there are fewer than 2^31 components. For Rule::equal_values
/// there are fewer than 2^31 voxels.
inline constexpr uint32_t in_one_tile = uint32_t{1} << 31;

/// Division by a number of tiles. On a GPU, a division takes about 20 instructions.
struct TileDivisor {
    uint64_t reciprocal;  // floor(2^43 / divisor) + 1: the error of the quotient is below 1 / divisor
    /// @param divisor at least 1, at most 2^21
    static TileDivisor of(uint32_t divisor) { return {(uint64_t{1} << 43) / divisor + 1}; }
    /// The quotient, rounded down. n must be less than 2^21.
    VOXCC_HD uint32_t quotient(uint32_t n) const { return uint32_t(n * reciprocal >> 43); }
};

/// Arrays of an engine, in the memory of the executor. [tile][] is the part of one tile.
struct TileArrays {
    exec::Grid size, tiles;          // in voxels, in tiles
    TileDivisor by_x, by_y;          // by tiles.x and tiles.y
    uint64_t* rows;                  // [tile][words of the shape]
    uint16_t* first_run;             // [tile][64] number of runs before each block-row
    Counts* counts;                  // [tile]
    uint16_t* root_of_run;           // [tile][most runs] by run: its root
    uint64_t* roots;                 // [tile][most runs] by root: word() of Root
    uint32_t* joined;                // [tile][most runs / 32] one bit per root: whether it is the parent of others
    uint32_t* numbers;               // [tile][most runs] by root, after phase "number": number of its component | in_one_tile
    uint16_t *low_face, *high_face;  // FaceLines of columns 0 and 63
    int64_t stretches;               // number of stretches of marks
    Stretch* marks;                  // [stretches]; null in phases before "number" that must not change marks
    uint32_t* before;                // [stretches] number of marks before each stretch

    /// Position of a tile in the grid of tiles, and the inverse.
    VOXCC_HD exec::Cell place(uint32_t tile) const {
        const uint32_t row = by_x.quotient(tile), z = by_y.quotient(row);
        return {tile - row * tiles.x, row - z * tiles.y, z};
    }
    VOXCC_HD uint32_t tile_at(const exec::Cell& c) const { return (c.z * tiles.y + c.y) * tiles.x + c.x; }
    /// Number of the row of a tile that begins at a voxel. The rows of all tiles are numbered in raster order.
    VOXCC_HD uint32_t row_at(const exec::Cell& voxel) const { return (voxel.z * size.y + voxel.y) * tiles.x + voxel.x / columns; }
};

}  // namespace voxcc::block_runs::tiles
