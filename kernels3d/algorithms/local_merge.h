// Phase "local merge": labels each tile on its own, in shared memory. Shared by the algorithms that merge tiles afterwards (borders.h).
//
//   load    one bit per voxel: a row of a tile is a word. A lane then finds the neighbours of its voxels by shifts, without bounds
//   label   the algorithm joins the voxels of the tile in a forest (forest.h) of labels 1 + index in the tile; 0 is background
//   store   every word of the label volume = 1 + the index of the first voxel of its component within the tile; 0 for background
// Memory: in shared memory 4 bytes per voxel of a tile, and its bits.
#pragma once
#include "kernels3d/algorithms/forest.h"
#include "kernels3d/algorithms/tiling.h"

#include <type_traits>

namespace voxcc::algorithms {

/// The tiles for a connectivity: 32x32 voxels of a slice for 4 and 8, else 32x8x8 voxels. Rows of 32 voxels are one word of bits, and their
/// labels are 128 consecutive bytes. Tiles of 8x8 rows have small borders: 26 % of the voxels are behind a border.
template <Connectivity K>
using LocalTiles = std::conditional_t<is_neighbour(K, 0, 0, 1), Tiling<32, 8, 8, 256>, Tiling<32, 32, 1, 256>>;

/// Shared memory of a tile.
template <class Tiles>
struct LocalForest {
    static constexpr int width = int(Tiles::shape().x), height = int(Tiles::shape().y), depth = int(Tiles::shape().z);
    static constexpr int lines = height * depth;
    static_assert(width == 32);

    std::uint32_t row[lines];             // bit x of row[z * height + y]: whether voxel (x, y, z) of the tile is foreground
    std::uint32_t labels[Tiles::voxels];  // 1 + the index of the parent in the tile

    /// The foreground voxels of the tile among the directions `Looked`, seen from voxel v. `Looked` may contain the voxel itself and
    /// earlier directions.
    template <Directions Looked>
    VOXCC_HD Directions around(int v) const {
        static_assert(Looked < 2 * directions::centre);
        const int x = v % width, line = v / width, y = line % height, z = line / height;
        Directions set = 0;
        VOXCC_UNROLL
        for (int l = 0; l < 5; ++l) {  // directions 3 l to 3 l + 2 lead to one row
            const int dy = l % 3 - 1, dz = l / 3 - 1;
            const Directions looked = Looked >> 3 * l & 7;
            if (looked == 0 || y + dy < 0 || y + dy >= height || z + dz < 0) continue;
            const std::uint32_t word = row[line + dz * height + dy];
            set |= ((x > 0 ? word >> (x - 1) : word << 1) & looked) << 3 * l;
        }
        return set;
    }
    VOXCC_HD bool foreground(int v) const { return row[v / width] >> v % width & 1; }
    /// Calls f(v) for the voxels of a lane.
    template <class F>
    VOXCC_HD static void for_voxels(int lane, const F& f) {
        for (int k = 0; k < Tiles::voxels_per_lane; ++k) f(k * Tiles::lanes + lane);
    }
    /// Every foreground voxel becomes a tree.
    template <class Tile>
    VOXCC_HD void start_trees(Tile& tile) {
        tile.each([&](int lane) { for_voxels(lane, [&](int v) { labels[v] = foreground(v) ? std::uint32_t(v) + 1 : 0; }); });
    }
};

/// @tparam Method label<Tiles>(tile) must set tile.shared.labels, from tile.shared.row, to trees that are the components of the tile
template <class Tiles, class Method>
struct LocalMerge {
    using Shared = LocalForest<Tiles>;
    static constexpr int resident = 6;  // 40 registers per lane (compute capability 9.0); 67 without a limit; with 8, 32 registers spill
    VoxelView view;
    exec::Pointer<std::uint32_t> labels;

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
        });
        VOXCC_UNROLL
        for (int k = 0; k < each; ++k) tile.ballot(votes[k], [&](int lane) { return bits[lane] >> k & 1; });
        tile.each([&](int lane) {
            if (lane % 32 != 0) return;
            VOXCC_UNROLL
            for (int k = 0; k < each; ++k) tile.shared.row[(k * Tiles::lanes + lane) / 32] = votes[k][lane];
        });
    }

    template <class Tile>
    VOXCC_HD void store(Tile& tile, const exec::Cell& first) const {
        const exec::SharedPointer labels_of_tile(tile.shared.labels);
        tile.each([&](int lane) {
            Shared::for_voxels(lane, [&](int v) {
                const exec::Cell c = Tiles::voxel(first, v);
                if (!Tiles{view.size}.contains(c)) return;
                std::uint32_t label = labels_of_tile[v];
                if (label != 0) {
                    const exec::Cell root = Tiles::voxel(first, int(find(labels_of_tile, label)) - 1);
                    label = std::uint32_t(view.at(root.x, root.y, root.z)) + 1;
                }
                labels[view.at(c.x, c.y, c.z)] = label;
            });
        });
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        const exec::Cell first = Tiles{view.size}.first_voxel(t);
        load(tile, first);
        Method::template label<Tiles>(tile);
        store(tile, first);
    }
};

/// Runs the phase.
template <class Tiles, class Method, class Executor>
void merge_locally(Executor& executor, const Problem& p) {
    using Merge = LocalMerge<Tiles, Method>;
    executor.template for_each_tile<Tiles::lanes, typename Merge::Shared>("local merge", Tiles{p.size}.tiles(),
                                                                          Merge{{p.size, p.voxels}, p.labels});
}

}  // namespace voxcc::algorithms
