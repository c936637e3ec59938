// UF: union-find of voxels.
//
// Source: Oliveira, Lotufo, "A study on connected components labeling algorithms using GPUs", 2010; as described by Allegretti, Bolelli,
// Grana, "Optimized block-based algorithms to label connected components on GPUs", 2019, section 4.1, which adds connectivity 8. The 3D
// version is ours.
// Idea: at first, every foreground voxel is a tree. Each voxel is united with its earlier neighbours. Every resulting tree is a component.
//
//   init      label[i] = i + 1, or 0 for background
//   merge     unite each voxel with every earlier foreground neighbour
//   compress  every voxel points to its root
// Memory: the label volume.
#pragma once
#include "kernels3d/algorithms/neighbours.h"
#include "kernels3d/algorithms/number.h"

#include <string_view>

namespace voxcc::algorithms {

template <Compression C>
struct UnionFind {
    struct Init {
        exec::Pointer<const std::uint8_t> voxels;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(std::int64_t i) const { labels[i] = voxels[i] ? std::uint32_t(i) + 1 : 0; }
    };

    template <Connectivity K>
    struct Merge {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(exec::Cell c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            if (!view.voxels[i]) return;
            std::uint32_t label = std::uint32_t(i) + 1;
            for_each(earlier_neighbours<K>(view, c),
                     [&](int direction) { label = unite(labels, label, std::uint32_t(i + step(view.size, direction)) + 1); });
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

inline constexpr std::string_view oliveira = "Oliveira, Lotufo, A study on connected components labeling algorithms using GPUs, 2010";

struct Uf : UnionFind<Compression::plain> {
    static constexpr std::string_view name = "uf", source = oliveira;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, section 4.1, after Oliveira, Lotufo 2010";
};

struct UfIc : UnionFind<Compression::inline_steps> {
    static constexpr std::string_view name = "uf-ic", source = oliveira;
    static constexpr std::string_view origin = "ours: uf with the inline compression of Allegretti, Bolelli, Grana 2019, section 2.1";
};

}  // namespace voxcc::algorithms
