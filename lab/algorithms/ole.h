// OLE: optimised label equivalence.
//
// Source: Kalentev, Rai, Kemnitz, Schneider, "Connected component labeling on a 2D grid using CUDA", 2011, after Hawick, Leist, Playne 2010
// (LE); as described by Allegretti, Bolelli, Grana 2019, section 3.1. The original has connectivity 4; the others are ours.
// Idea: if a voxel has a neighbour with a smaller label, this label is stored at the root of the voxel's tree. This joins the two trees.
// Then all trees are flattened. Both steps repeat until no voxel has a neighbour with a smaller label. The trees are stored in the label
// volume itself; LE uses a separate table.
//
//   init      label[i] = i + 1, or 0 for background
//   scan      store the smallest neighbouring label at the root of the voxel, without an atomic operation; set the flag after a store
//   analysis  every voxel points to its root; repeat scan while the flag is set
// Memory: the label volume; the flag.
#pragma once
#include "lab/algorithms/iterate.h"
#include "lab/algorithms/number.h"
#include "lab/algorithms/sources.h"

#include <string_view>

namespace voxcc::algorithms {

struct OptimisedLabelEquivalence {
    struct Init {
        exec::Pointer<const std::uint8_t> voxels;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(std::int64_t i) const { labels[i] = voxels[i] ? std::uint32_t(i) + 1 : 0; }
    };

    /// Two voxels can write to the same root at the same time. One of the two labels is then lost, and the next scan finds it again. Every
    /// stored label is smaller than the label before the scan. The loop therefore ends.
    template <Connectivity K>
    struct Scan {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        Changed changed;
        VOXCC_HD void operator()(exec::Cell c) const {
            const std::uint32_t label = exec::load(labels + view.at(c.x, c.y, c.z));
            if (label == 0) return;
            std::uint32_t smallest = label;
            VOXCC_UNROLL
            for (int d = 0; d < 27; ++d) {
                const int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
                if (!is_neighbour(K, dx, dy, dz)) continue;
                const exec::Cell n{c.x + std::uint32_t(dx), c.y + std::uint32_t(dy), c.z + std::uint32_t(dz)};
                if (n.x >= view.size.x || n.y >= view.size.y || n.z >= view.size.z) continue;
                const std::uint32_t other = exec::load(labels + view.at(n.x, n.y, n.z));
                if (other != 0 && other < smallest) smallest = other;
            }
            if (smallest == label) return;
            if (smallest < exec::load(labels + label - 1)) exec::store(labels + label - 1, smallest);
            changed();
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        executor.for_each("init", p.size.cells(), Init{p.voxels, p.labels});
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            until_stable(executor, [&](Changed changed) {
                if (changed.pass > 1) executor.for_each("analysis", p.size.cells(), CompressWords<Compression::plain>{p.labels});
                executor.for_each("scan", p.size, Scan<K>{{p.size, p.voxels}, p.labels, changed});
            });
        });
        return number_voxels(executor, p);
    }
};

struct Ole : OptimisedLabelEquivalence {
    static constexpr std::string_view name = "ole", source = kalentev;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, section 3.1, after Kalentev et al. 2011";
};

}  // namespace voxcc::algorithms
