// KE: Komura equivalence of voxels.
//
// Source: Komura, "GPU-based cluster-labeling algorithm without the use of conventional iteration", 2015; for 8 neighbours Allegretti et
// al. 2018; as described by Allegretti, Bolelli, Grana 2019, section 4.2. The 3D version is ours.
// Idea: each voxel is linked to its first earlier foreground neighbour without an atomic operation. Only the other earlier neighbours need
// unions, after the trees have been flattened.
//
//   init      label[i] = 1 + the index of the first earlier foreground neighbour, else i + 1; 0 for background
//   compress  flatten the trees
//   merge     unite each voxel with every other earlier foreground neighbour
//   compress  flatten the trees
// Memory: the label volume.
#pragma once
#include "lab/algorithms/neighbours.h"
#include "lab/algorithms/number.h"

#include <string_view>

namespace voxcc::algorithms {

struct Komura {
    template <Connectivity K>
    struct Init {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(exec::Cell c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            std::uint32_t label = 0;
            if (view.voxels[i]) {
                label = std::uint32_t(i) + 1;
                const Directions set = earlier_neighbours<K>(view, c), first = set & -set;
                for_each(first, [&](int direction) { label += std::uint32_t(step(view.size, direction)); });
            }
            labels[i] = label;
        }
    };

    template <Connectivity K>
    struct Merge {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(exec::Cell c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            if (!view.voxels[i]) return;
            const Directions set = earlier_neighbours<K>(view, c), others = set & (set - 1);  // Init linked the first one
            std::uint32_t label = std::uint32_t(i) + 1;
            for_each(others, [&](int direction) { label = unite(labels, label, std::uint32_t(i + step(view.size, direction)) + 1); });
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

inline constexpr std::string_view komura = "Komura, GPU-based cluster-labeling algorithm without the use of conventional iteration, 2015";

struct Ke : Komura {
    static constexpr std::string_view name = "ke", source = komura;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, section 4.2, after Komura 2015";
};

}  // namespace voxcc::algorithms
