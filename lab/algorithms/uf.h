// UF: union-find of voxels.
//
// Source: Oliveira, Lotufo, "A study on connected components labeling algorithms using GPUs", 2010; as described by Allegretti, Bolelli,
// Grana, "Optimized block-based algorithms to label connected components on GPUs", 2019, section 4.1, which adds connectivity 8. The 3D
// version is ours.
// Idea: at first, every foreground voxel is a tree. Each voxel is united with its earlier neighbours. Every resulting tree is a component.
//
// `uf-flat` and `uf-ic`, the basic structure of the algorithm, on the complete volume:
//   init      label[i] = i + 1, or 0 for background
//   merge     unite each voxel with every earlier foreground neighbour
//   compress  every voxel points to its root
// `uf` (the last paragraph of section 4.1) first does all of this in each tile, in shared memory:
//   local merge    init, merge and compress within each tile (local_merge.h)
//   merge x, y, z  unite each voxel at a border with every earlier foreground neighbour in another tile
//   compress       every voxel points to its root
// Memory: the label volume.
#pragma once
#include "lab/algorithms/local_merge.h"
#include "lab/algorithms/number.h"

#include <string_view>

namespace voxcc::algorithms {

/// Unites the voxel whose label is `own` with the voxels in the directions of the set.
/// @param size of the array of labels, and `own` is 1 + the index of the voxel in it
template <class Words>
VOXCC_HD inline void unite_with(Words labels, const exec::Grid& size, std::uint32_t own, Directions set) {
    std::uint32_t label = own;
    for_each(set, [&](int direction) { label = unite(labels, label, own + std::uint32_t(step(size, direction))); });
}

template <Compression C>
struct FlatUnionFind {
    struct Init {
        exec::Pointer<const std::uint8_t> voxels;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(std::int64_t i) const { labels[i] = voxels[i] ? std::uint32_t(i) + 1 : 0; }
    };

    template <Connectivity K>
    struct Merge {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(const exec::Cell& c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            if (view.voxels[i]) unite_with(labels, view.size, std::uint32_t(i) + 1, earlier_neighbours<K>(view, c));
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        executor.for_each("init", p.size.cells(), Init{p.voxels, p.labels});
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            executor.for_each("merge", p.size, Merge<K>{{p.size, p.voxels}, p.labels});
        });
        executor.for_each("compress", p.size.cells(), CompressWords<C>{p.labels});
        return number_voxels(executor, p);
    }
};

struct TiledUnionFind {
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
            for_each_voxel(tile, [&](std::uint32_t v) {
                if (shared.foreground(v)) unite_with(labels, Tiles::shape(), v + 1, shared.template around<directions::earlier<K>>(v));
            });
        }
    };

    template <Connectivity K, class Tiles>
    struct MergeBorder {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(const exec::Cell& c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            if (view.voxels[i])
                unite_with(labels, view.size, std::uint32_t(i) + 1, earlier_neighbours<K>(view, c) & ~Tiles::within_tile(c));
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            using Tiles = LocalTiles<K>;
            merge_tiles<Tiles, directions::earlier<K>>(executor, p, Local<K>{}, MergeBorder<K, Tiles>{{p.size, p.voxels}, p.labels});
        });
        return number_voxels(executor, p);
    }
};

inline constexpr std::string_view oliveira = "Oliveira, Lotufo, A study on connected components labeling algorithms using GPUs, 2010";

struct Uf : TiledUnionFind {
    static constexpr std::string_view name = "uf", source = oliveira;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, section 4.1, after Oliveira, Lotufo 2010";
};

struct UfFlat : FlatUnionFind<Compression::plain> {
    static constexpr std::string_view name = "uf-flat", source = oliveira;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, section 4.1 and figure 3, without tile merging";
};

struct UfIc : FlatUnionFind<Compression::inline_steps> {
    static constexpr std::string_view name = "uf-ic", source = oliveira;
    static constexpr std::string_view origin = "ours: uf-flat with the inline compression of Allegretti, Bolelli, Grana 2019, section 2.1";
};

}  // namespace voxcc::algorithms
