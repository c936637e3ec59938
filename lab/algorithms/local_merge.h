// Phase "local merge": labels each tile on its own, in shared memory. Shared by the algorithms that merge tiles afterwards (borders.h).
//
//   load      one bit per voxel: a row of a tile is a word. A lane then finds the neighbours of its voxels by shifts, without bounds
//   label     the algorithm joins the voxels of the tile in a forest (forest.h) of labels 1 + index in the tile; 0 is background
//   compress  every label points to its root
//   store     every word of the label volume = 1 + the index of the first voxel of its component within the tile; 0 for background
// Memory: in shared memory 4 bytes per voxel of a tile, and its bits.
#pragma once
#include "lab/algorithms/borders.h"
#include "lab/algorithms/forest.h"
#include "lab/algorithms/tiling.h"

#include <type_traits>

namespace voxcc::algorithms {

/// The tiles for a connectivity: 32x32 voxels of a slice for 4 and 8, else 32x8x8 voxels. Rows of 32 voxels are one word of bits, and their
/// labels are 128 consecutive bytes. Tiles of 8x8 rows have small borders: 26 % of the voxels are behind a border.
template <Connectivity K>
using LocalTiles = std::conditional_t<is_neighbour(K, 0, 0, 1), Tiling<32, 8, 8, 256>, Tiling<32, 32, 1, 256>>;

/// Shared memory of a tile. Voxel v of the tile has the coordinates (v % width, v / width % height, v / width / height) in the tile.
template <class Tiles>
struct LocalForest {
    static constexpr std::uint32_t width = Tiles::shape().x, height = Tiles::shape().y, depth = Tiles::shape().z;
    static_assert(width == 32);

    static constexpr std::uint32_t rows_per_slice = height + 2;

    std::uint32_t rows[(depth + 1) * rows_per_slice];  // row y of slice z is rows[(z + 1) * rows_per_slice + y + 1]; bit x: whether voxel
                                                       // (x, y, z) is foreground. Rows before, above and below the tile are background
    std::uint32_t labels[Tiles::voxels];               // 1 + the index of the parent in the tile

    VOXCC_HD std::uint32_t& row_of(std::uint32_t v) { return rows[(v / width / height + 1) * rows_per_slice + v / width % height + 1]; }
    VOXCC_HD bool foreground(std::uint32_t v) { return row_of(v) >> v % width & 1; }

    /// The foreground voxels of the tile among the directions `Looked`, seen from voxel v. `Looked` may contain the voxel itself and
    /// earlier directions.
    template <Directions Looked>
    VOXCC_HD Directions around(std::uint32_t v) const {
        static_assert(Looked < 2 * directions::centre);
        const std::uint32_t x = v % width;
        const std::uint32_t* const first = rows + v / width / height * rows_per_slice + v / width % height;  // row of directions 0 to 2
        Directions set = 0;
        VOXCC_UNROLL
        for (std::uint32_t l = 0; l < 5; ++l) {  // directions 3 l to 3 l + 2 lead to one row
            const Directions looked = Looked >> 3 * l & 7;
            if (looked == 0) continue;
            const std::uint32_t word = first[l / 3 * rows_per_slice + l % 3];
            set |= ((x > 0 ? word >> (x - 1) : word << 1) & looked) << 3 * l;
        }
        return set;
    }
};

/// One step: calls f(v) for every voxel v of the tile.
template <class Tile, class F>
VOXCC_HD void for_each_voxel(Tile& tile, const F& f) {
    constexpr int voxels = int(std::extent_v<decltype(tile.shared.labels)>);
    tile.template rounds<voxels / Tile::lanes>([&](int lane, int round) { f(std::uint32_t(round * Tile::lanes + lane)); });
}

/// @tparam Method has Shared<Tiles>, which must derive from LocalForest<Tiles>. method.label<Tiles>(tile) must set tile.shared.labels, from
/// tile.shared.rows, to trees that are the components of the tile
template <class Tiles, class Method>
struct LocalMerge {
    using Shared = typename Method::template Shared<Tiles>;
    static constexpr int resident = 8;  // 32 registers per lane. With 6 (40 registers), uf of blobs took 17 % longer (NVIDIA H200)
    VoxelView view;
    exec::Pointer<std::uint32_t> labels;
    Method method;

    template <class Tile>
    VOXCC_HD void load(Tile& tile, const exec::Cell& first) const {
        constexpr int each = Tiles::voxels_per_lane;
        typename Tile::template PerLane<std::uint32_t> bits, votes[each];
        tile.each([&](int lane) {  // all voxels of a lane at once, so that their loads overlap
            bits[lane] = 0;
            VOXCC_UNROLL
            for (int k = 0; k < each; ++k) {
                const exec::Cell c = Tiles::voxel(first, k * Tiles::lanes + lane);
                bits[lane] |= std::uint32_t(view.foreground(c.x, c.y, c.z)) << k;
            }
            constexpr int rows = int(std::extent_v<decltype(tile.shared.rows)>);
            for (int row = lane; row < rows; row += Tiles::lanes) tile.shared.rows[row] = 0;
        });
        VOXCC_UNROLL
        for (int k = 0; k < each; ++k) tile.ballot(votes[k], [&](int lane) { return bits[lane] >> k & 1; });
        tile.each([&](int lane) {
            if (lane % 32 != 0) return;
            VOXCC_UNROLL
            for (int k = 0; k < each; ++k) tile.shared.row_of(std::uint32_t(k * Tiles::lanes + lane)) = votes[k][lane];
        });
    }

    template <class Tile>
    VOXCC_HD void compress_labels(Tile& tile) const {
        const exec::SharedPointer labels_of_tile(tile.shared.labels);
        for_each_voxel(tile, [&](std::uint32_t v) { compress<Compression::plain>(labels_of_tile, v); });
    }

    template <class Tile>
    VOXCC_HD void store(Tile& tile, const exec::Cell& first) const {
        const auto index = [this, first](std::uint32_t v) {
            const exec::Cell c = Tiles::voxel(first, int(v));
            return (c.z * view.size.y + c.y) * view.size.x + c.x;
        };
        for_each_voxel(tile, [&](std::uint32_t v) {
            if (!Tiles{view.size}.contains(Tiles::voxel(first, int(v)))) return;
            const std::uint32_t label = tile.shared.labels[v];
            labels[index(v)] = label == 0 ? 0 : index(label - 1) + 1;
        });
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        const exec::Cell first = Tiles{view.size}.first_voxel(t);
        load(tile, first);
        method.template label<Tiles>(tile);
        compress_labels(tile);
        store(tile, first);
    }
};

/// Makes the label volume a flat forest: labels the tiles, merges the components at their borders, and compresses.
/// @tparam Looked the earlier directions in which `border` looks for neighbours
/// @param local the method of LocalMerge
/// @param border border(c) must unite voxel c with its earlier neighbours in other tiles
template <class Tiles, Directions Looked, class Local, class Border, class Executor>
void merge_tiles(Executor& executor, const Problem& p, const Local& local, const Border& border) {
    using Merge = LocalMerge<Tiles, Local>;
    executor.template for_each_tile<Tiles::lanes, typename Merge::Shared>("local merge", Tiles{p.size}.tiles(),
                                                                          Merge{{p.size, p.voxels}, p.labels, local});
    merge_borders<Tiles, Looked>(executor, p.size, border);
    executor.for_each("compress", p.size.cells(), CompressWords<Compression::plain>{p.labels});
}

}  // namespace voxcc::algorithms
