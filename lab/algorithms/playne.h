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
// A table of the pieces of every neighbourhood is computed first.
// `playne` works on the complete volume:
//   init      label[i] = the smallest label that i is connected with in its neighbourhood; 0 for background
//   compress  flatten the trees
//   merge     unite each voxel with the other pieces (the paper calls this reduction)
//   compress  flatten the trees
// `playne-block` does the same for each tile in shared memory ("local merge"), then
//   merge x, y, z  unite each voxel with the pieces that do not contain a neighbour in its tile
//   compress       flatten the trees
// Memory: the label volume, and 64 KiB for the table.
#pragma once
#include "lab/algorithms/local_merge.h"
#include "lab/algorithms/number.h"

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

    /// The pieces of a neighbourhood that contain a neighbour of the voxel.
    struct Pieces {
        std::uint32_t first = 0;  // add it to the label of the voxel: the smallest label that the voxel is connected with; 0 if no piece
        Directions others = 0;    // the first direction of every other piece
    };

    /// Computes the pieces of neighbourhood i, a set of directions.
    template <Connectivity K>
    struct FindPieces {
        exec::Pointer<Pieces> table;
        exec::Grid size;
        VOXCC_HD void operator()(std::int64_t i) const {
            if (i & ~std::int64_t(looked<K>)) return;
            Pieces pieces;
            Directions all = touching<K>(Directions(i));
            if (all != 0) {
                pieces.first = std::uint32_t(step(size, exec::lowest_bit(all)));
                all &= ~directions::connected<K>(all & (0 - all), all);
                directions::for_each_piece<K>(all, [&](Directions piece) { pieces.others |= piece & (0 - piece); });
            }
            table[i] = pieces;
        }
    };

    /// The pieces of every neighbourhood, for each set of the directions before the centre; unused where the set is not a part of
    /// looked<K>. With the table, the local merge of random voxels (512^3, 50 %, 6 neighbours) took 2.9 instead of 4.3 ms (NVIDIA H200,
    /// 2026-11-23).
    ///   table[0b11 << 9]: the voxels above and left of the one above are foreground  ->  first = -width - 1, others = 0
    /// @param size of the array of labels for which `first` is computed
    template <Connectivity K, class Executor>
    static exec::Array<Pieces> piece_table(Executor& executor, const exec::Grid& size) {
        exec::Array<Pieces> table(executor.memory(), directions::centre);
        executor.for_each("table", table.size(), FindPieces<K>{table.data(), size});
        return table;
    }

    /// The union of Hennequin et al., algorithm 2: climbs from both labels until they are equal or roots, then joins them.
    template <class Words>
    VOXCC_HD static void reduce(Words labels, std::uint32_t a, std::uint32_t b) {
        for (std::uint32_t parent; a != b && (parent = exec::load(labels + a - 1)) != a;) a = parent;
        for (std::uint32_t parent; a != b && (parent = exec::load(labels + b - 1)) != b;) b = parent;
        join(labels, a, b);
    }

    /// Unites a voxel with the voxels in the directions of the set.
    /// @param size of the array of labels, and `own` is 1 + the index of the voxel in it
    template <class Words>
    VOXCC_HD static void reduce_with(Words labels, const exec::Grid& size, std::uint32_t own, Directions set) {
        for_each(set, [&](int direction) { reduce(labels, own, own + std::uint32_t(step(size, direction))); });
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
        exec::Pointer<const Pieces> table;
        VOXCC_HD void operator()(const exec::Cell& c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            std::uint32_t label = 0;
            if (view.voxels[i]) {
                const Pieces pieces = table[foreground_around<looked<K>>(view, c)];
                label = std::uint32_t(i) + 1 + pieces.first;
            }
            labels[i] = label;
        }
    };

    template <Connectivity K>
    struct Merge {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        exec::Pointer<const Pieces> table;
        VOXCC_HD void operator()(const exec::Cell& c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            if (!view.voxels[i]) return;
            const Pieces pieces = table[foreground_around<looked<K>>(view, c)];
            reduce_with(labels, view.size, std::uint32_t(i) + 1, pieces.others);
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        const VoxelView view{p.size, p.voxels};
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            const exec::Array<Pieces> table = piece_table<K>(executor, p.size);
            executor.for_each("init", p.size, Init<K>{view, p.labels, table.data()});
            executor.for_each("compress", p.size.cells(), CompressWords<Compression::plain>{p.labels});
            executor.for_each("merge", p.size, Merge<K>{view, p.labels, table.data()});
        });
        executor.for_each("compress", p.size.cells(), CompressWords<Compression::plain>{p.labels});
        return number_voxels(executor, p);
    }
};

struct PlayneBlock : NeighbourhoodPieces {
    static constexpr std::string_view name = "playne-block", source = playne_hawick;
    static constexpr std::string_view origin = "Hennequin, Lacassagne, Cabaret, Meunier 2018, section II-B, after Playne, Hawick 2018";

    /// Labels a tile in shared memory (local_merge.h), by the same steps as Playne. The voxels that need unions are listed, and the lanes
    /// then take them from the list: in the order of the voxels, one lane in ten would have a union.
    template <Connectivity K>
    struct Local {
        exec::Pointer<const Pieces> table;

        template <class Tiles>
        struct Shared : LocalForest<Tiles> {
            std::uint32_t listed;               // length of the list
            std::uint32_t list[Tiles::voxels];  // index of a voxel << 16 | the first directions of its other pieces
        };

        template <class Tiles, class Tile>
        VOXCC_HD void label(Tile& tile) const {
            auto& shared = tile.shared;
            const exec::SharedPointer labels(shared.labels);
            tile.each([&](int lane) {
                if (lane == 0) shared.listed = 0;
            });
            for_each_voxel(tile, [&](std::uint32_t v) {
                std::uint32_t label = 0;
                if (shared.foreground(v)) {
                    const Pieces pieces = table[shared.template around<looked<K>>(v)];
                    label = v + 1 + pieces.first;
                    if (pieces.others != 0) shared.list[exec::append(&shared.listed)] = v << 16 | pieces.others;
                }
                labels[v] = label;
            });
            for_each_voxel(tile, [&](std::uint32_t v) { compress<Compression::plain>(labels, v); });
            tile.each([&](int lane) {
                for (std::uint32_t i = std::uint32_t(lane); i < shared.listed; i += Tiles::lanes)
                    reduce_with(labels, Tiles::shape(), (shared.list[i] >> 16) + 1, shared.list[i] & 0xffff);
            });
        }
    };

    /// Unites a voxel with the pieces that do not contain a neighbour in its tile.
    template <Connectivity K, class Tiles>
    struct MergeBorder {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(const exec::Cell& c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            if (!view.voxels[i]) return;
            const Directions all = touching<K>(foreground_around<looked<K>>(view, c));
            const Directions in_tile = all & directions::neighbours<K> & Tiles::within_tile(c);
            directions::for_each_piece<K>(all & ~directions::connected<K>(in_tile, all), [&](Directions piece) {
                reduce_with(labels, view.size, std::uint32_t(i) + 1, piece & (0 - piece));
            });
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            using Tiles = LocalTiles<K>;
            const exec::Array<Pieces> table = piece_table<K>(executor, Tiles::shape());
            merge_tiles<Tiles, looked<K>>(executor, p, Local<K>{table.data()}, MergeBorder<K, Tiles>{{p.size, p.voxels}, p.labels});
        });
        return number_voxels(executor, p);
    }
};

}  // namespace voxcc::algorithms
