// Playne: label equivalence with one union per piece of the neighbourhood.
//
// Source: Playne, Hawick, "A new algorithm for parallel connected-component labelling on GPUs", 2018; as described by Allegretti, Bolelli,
// Grana 2019, section 3.2 (an improved Komura equivalence without redundant unions), and by Hennequin, Lacassagne, Cabaret, Meunier 2018,
// section II-B, figure 1 and algorithm 2. The original has connectivity 4; the other connectivities are ours.
// Idea: a voxel looks at all voxels of its neighbourhood at once. Its first label is the smallest of the labels that it is connected with
// there. The foreground voxels of the neighbourhood form pieces. Other voxels connect each piece. The voxel therefore needs only one union
// for each piece that does not contain its first label.
//
//   a b    x looks at a, b and c (connectivity 4). If a, b and c are foreground, they are one piece: x takes the label of a.
//   c x    If a is background, b and c are two pieces: x takes the label of b, and is united with c.
//
// `playne` works on the complete volume:
//   init      label[i] = the smallest label that i is connected with in its neighbourhood; 0 for background
//   compress  flatten the trees
//   merge     unite each voxel with the other pieces (the paper calls this reduction)
//   compress  flatten the trees
// `playne-block` does the same for each tile in shared memory ("local merge"), then
//   merge x, y, z  unite each voxel with the pieces that do not contain a neighbour in its tile
//   compress       flatten the trees
// Memory: the label volume.
#pragma once
#include "kernels3d/algorithms/borders.h"
#include "kernels3d/algorithms/local_merge.h"
#include "kernels3d/algorithms/number.h"

#include <string_view>

namespace voxcc::algorithms {

/// What `playne` and `playne-block` share.
struct NeighbourhoodPieces {
    /// What a voxel looks at: the square or cube whose last voxel it is where only faces connect, else its earlier neighbours.
    template <Connectivity K>
    static constexpr Directions looked = (directions::centre - 1) & (K == Connectivity::c6   ? directions::square
                                                                     : K == Connectivity::c4 ? directions::square_in_slice
                                                                                             : directions::earlier<K>);

    /// The pieces of `around` that contain a neighbour of the voxel.
    template <Connectivity K>
    VOXCC_HD static Directions touching(Directions around) {
        return directions::connected<K>(around & directions::neighbours<K>, around);
    }

    /// The smallest label that a voxel is connected with in its neighbourhood.
    /// @param size of the array of labels, and `own` is 1 + the index of the voxel in it
    template <Connectivity K>
    VOXCC_HD static std::uint32_t smallest_label(Directions around, const exec::Grid& size, std::uint32_t own) {
        const Directions pieces = touching<K>(around);
        return pieces == 0 ? own : own + std::uint32_t(step(size, exec::lowest_bit(pieces)));
    }

    /// The union of Hennequin et al., algorithm 2: climbs from both labels until they are equal or roots, then joins them.
    template <class Words>
    VOXCC_HD static void reduce(Words labels, std::uint32_t a, std::uint32_t b) {
        for (std::uint32_t parent; a != b && (parent = exec::load(labels + a - 1)) != a;) a = parent;
        for (std::uint32_t parent; a != b && (parent = exec::load(labels + b - 1)) != b;) b = parent;
        join(labels, a, b);
    }

    /// Unites a voxel with each of the `pieces` that has no element in `linked`.
    template <Connectivity K, class Words>
    VOXCC_HD static void unite_with_pieces(Words labels, const exec::Grid& size, std::uint32_t own, Directions pieces, Directions linked) {
        directions::for_each_piece<K>(pieces & ~directions::connected<K>(linked, pieces), [&](Directions piece) {
            reduce(labels, own, own + std::uint32_t(step(size, exec::lowest_bit(piece))));
        });
    }
    /// Unites a voxel with each piece but the one of its smallest label.
    template <Connectivity K, class Words>
    VOXCC_HD static void unite_with_other_pieces(Words labels, const exec::Grid& size, std::uint32_t own, Directions around) {
        const Directions pieces = touching<K>(around);
        unite_with_pieces<K>(labels, size, own, pieces, pieces & (0 - pieces));
    }
};

inline constexpr std::string_view playne_hawick =
    "Playne, Hawick, A new algorithm for parallel connected-component labelling on GPUs, 2018";

struct Playne : NeighbourhoodPieces {
    static constexpr std::string_view name = "playne", source = playne_hawick;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, section 3.2, after Playne, Hawick 2018";

    template <Connectivity K>
    struct Init {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(const exec::Cell& c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            labels[i] = view.voxels[i] ? smallest_label<K>(foreground_around<looked<K>>(view, c), view.size, std::uint32_t(i) + 1) : 0;
        }
    };

    template <Connectivity K>
    struct Merge {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(const exec::Cell& c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            if (view.voxels[i]) unite_with_other_pieces<K>(labels, view.size, std::uint32_t(i) + 1, foreground_around<looked<K>>(view, c));
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        const VoxelView view{p.size, p.voxels};
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            executor.for_each("init", p.size, Init<K>{view, p.labels});
            executor.for_each("compress", p.size.cells(), CompressWords<Compression::plain>{p.labels});
            executor.for_each("merge", p.size, Merge<K>{view, p.labels});
        });
        executor.for_each("compress", p.size.cells(), CompressWords<Compression::plain>{p.labels});
        return number_voxels(executor, p);
    }
};

struct PlayneBlock : NeighbourhoodPieces {
    static constexpr std::string_view name = "playne-block", source = playne_hawick;
    static constexpr std::string_view origin = "Hennequin, Lacassagne, Cabaret, Meunier 2018, section II-B, after Playne, Hawick 2018";

    /// Labels a tile in shared memory (local_merge.h), by the same steps as Playne.
    template <Connectivity K>
    struct Local {
        template <class Tiles, class Tile>
        VOXCC_HD static void label(Tile& tile) {
            auto& shared = tile.shared;
            const exec::SharedPointer labels(shared.labels);
            tile.each([&](int lane) {
                shared.for_voxels(lane, [&](int v) {
                    const std::uint32_t own = std::uint32_t(v) + 1;
                    labels[v] = shared.foreground(v) ? smallest_label<K>(shared.template around<looked<K>>(v), Tiles::shape(), own) : 0;
                });
            });
            tile.each([&](int lane) { shared.for_voxels(lane, [&](int v) { compress<Compression::plain>(labels, v); }); });
            tile.each([&](int lane) {
                shared.for_voxels(lane, [&](int v) {
                    if (shared.foreground(v))
                        unite_with_other_pieces<K>(labels, Tiles::shape(), std::uint32_t(v) + 1, shared.template around<looked<K>>(v));
                });
            });
        }
    };

    template <Connectivity K, class Tiles>
    struct MergeBorder {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(const exec::Cell& c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            if (!view.voxels[i]) return;
            const Directions pieces = touching<K>(foreground_around<looked<K>>(view, c));
            const Directions linked = pieces & directions::neighbours<K> & Tiles::within_tile(c);
            unite_with_pieces<K>(labels, view.size, std::uint32_t(i) + 1, pieces, linked);
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            using Tiles = LocalTiles<K>;
            merge_locally<Tiles, Local<K>>(executor, p);
            merge_borders<Tiles, looked<K>>(executor, p.size, MergeBorder<K, Tiles>{{p.size, p.voxels}, p.labels});
        });
        executor.for_each("compress", p.size.cells(), CompressWords<Compression::plain>{p.labels});
        return number_voxels(executor, p);
    }
};

}  // namespace voxcc::algorithms
