// DLP: distanceless label propagation.
//
// Source: Cabaret, Lacassagne, Etiemble, "Distanceless label propagation: an efficient direct connected component labeling algorithm for
// GPUs", 2017; as described by Hennequin, Lacassagne, Cabaret, Meunier 2018, section II-B (tiles in shared memory, borders, solution), and
// by Allegretti, Bolelli, Grana 2019, section 3.2 (the squares and the union). The original is for images. The 3D version is ours.
//
// Idea: the voxels of every 2x2 square (squares overlap; in 3D: of every 2x2x2 cube) are joined with the smallest of their labels. If a
// join replaces an older link, the two ends of that link are joined next, until no link is replaced. The search for a root is never needed.
//
//   a b    A square belongs to its last voxel x. If some of its voxels are not connected within the square (connectivities 4, 6 and 18),
//   c x    each piece is joined with its own smallest label.
//
//   local merge    label[i] = i + 1, or 0 for background; propagate: join the voxels of each square of the tile; every voxel gets its root
//                  in the tile (local_merge.h)
//   merge x, y, z  join the voxels of each square that contains voxels of several tiles
//   compress       solution of the equivalences: every voxel points to its root
// Memory: the label volume.
#pragma once
#include "lab/algorithms/local_merge.h"
#include "lab/algorithms/number.h"

#include <string_view>

namespace voxcc::algorithms {

struct LabelPropagation {
    /// The directions from the last voxel of a square (cube) to all of its voxels.
    template <Connectivity K>
    static constexpr Directions looked = is_neighbour(K, 0, 0, 1) ? directions::square : directions::square_in_slice;

    /// Whether all voxels of the piece are in an earlier square, too. That square then joins them.
    template <Connectivity K>
    VOXCC_HD static bool in_earlier_square(Directions piece) {
        return !(piece & ~directions::left) || !(piece & ~directions::above) ||
               (is_neighbour(K, 0, 0, 1) && !(piece & ~directions::before));
    }

    /// Joins the voxels of a square.
    /// @param size of the array of labels, in which `last` is the index of the last voxel of the square
    /// @param square its foreground voxels
    template <Connectivity K, class Words>
    VOXCC_HD static void propagate(Words labels, const exec::Grid& size, std::int64_t last, Directions square) {
        directions::for_each_piece<K>(square, [&](Directions piece) {
            if ((piece & (piece - 1)) == 0 || in_earlier_square<K>(piece)) return;
            std::uint32_t smallest = ~std::uint32_t{0};
            for_each(piece, [&](int direction) {
                const std::uint32_t label = exec::load(labels + last + step(size, direction));
                if (label < smallest) smallest = label;
            });
            for_each(piece, [&](int direction) { join(labels, exec::load(labels + last + step(size, direction)), smallest); });
        });
    }

    /// Labels a tile in shared memory (local_merge.h).
    template <Connectivity K>
    struct Local {
        template <class Tiles>
        using Shared = LocalForest<Tiles>;
        template <class Tiles, class Tile>
        VOXCC_HD void label(Tile& tile) const {
            auto& shared = tile.shared;
            const exec::SharedPointer labels(shared.labels);
            for_each_voxel(tile, [&](std::uint32_t v) { labels[v] = shared.foreground(v) ? v + 1 : 0; });
            for_each_voxel(tile, [&](std::uint32_t v) { propagate<K>(labels, Tiles::shape(), v, shared.template around<looked<K>>(v)); });
        }
    };

    template <Connectivity K>
    struct MergeBorder {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(const exec::Cell& c) const {
            propagate<K>(labels, view.size, view.at(c.x, c.y, c.z), foreground_around<looked<K>>(view, c));
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            merge_tiles<LocalTiles<K>, looked<K>>(executor, p, Local<K>{}, MergeBorder<K>{{p.size, p.voxels}, p.labels});
        });
        return number_voxels(executor, p);
    }
};

inline constexpr std::string_view cabaret =
    "Cabaret, Lacassagne, Etiemble, Distanceless label propagation: an efficient direct connected component labeling algorithm for GPUs, "
    "2017";

struct Dlp : LabelPropagation {
    static constexpr std::string_view name = "dlp", source = cabaret;
    static constexpr std::string_view origin =
        "Hennequin, Lacassagne, Cabaret, Meunier 2018, section II-B, after Cabaret, Lacassagne, Etiemble 2017";
};

}  // namespace voxcc::algorithms
