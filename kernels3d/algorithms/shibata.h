// Shibata: passes that carry labels four jumps at a time.
//
// Source: Shibata, "Connected component labeling algorithm for GPGPU", sections 3 and 6 (algorithms 1 and 4); Shibata, Yamamoto, "GPGPU-
// assisted subpixel tracking method for fiducial markers", 2014. 8 neighbours there; the others, and 3D, by us.
// Idea: a voxel's label is the place of another voxel of its component that comes before it. In each pass every voxel takes the smallest
// label around it, follows it four times, and gives what it finds to itself and to the voxel that its own label names: thus a whole region
// that has agreed on one label changes it at once.
//
//   prepare    label[i] = i + 1, or 0 for background
//   propagate  h = label[i]; g = the smallest label around i, four jumps on; minimum of g at h and at i; until nothing changes
// At the end neighbours have equal labels, none is greater than its own place, and all are places in their component: the first voxel.
// Memory: the label volume and one word.
#pragma once
#include "kernels3d/algorithms/iterate.h"
#include "kernels3d/algorithms/neighbours.h"
#include "kernels3d/algorithms/number.h"

#include <string_view>

namespace voxcc::algorithms {

struct ShibataPropagation {
    struct Prepare {
        exec::Pointer<const std::uint8_t> voxels;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(std::int64_t i) const { labels[i] = voxels[i] ? std::uint32_t(i) + 1 : 0; }
    };

    template <Connectivity K>
    struct Propagate {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        Changed changed;
        VOXCC_HD void operator()(exec::Cell c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            if (!view.voxels[i]) return;
            const std::uint32_t h = exec::load(labels + i);
            std::uint32_t g = h;
            for_neighbours<K>(view, c, [&](std::int64_t n) {
                const std::uint32_t label = exec::load(labels + n);
                if (label < g) g = label;
            });
            for (int jump = 0; jump < 4; ++jump) g = exec::load(labels + g - 1);
            if (g >= h) return;  // then neither minimum would change a word: label[h] is never greater than h
            exec::fetch_min(labels + h - 1, g);
            exec::fetch_min(labels + i, g);
            changed();
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        executor.for_each("prepare", p.size.cells(), Prepare{p.voxels, p.labels});
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            until_stable(executor, [&](Changed changed) {
                executor.for_each("propagate", p.size, Propagate<K>{{p.size, p.voxels}, p.labels, changed});
            });
        });
        return number_voxels(executor, p);
    }
};

inline constexpr std::string_view shibata_2014 = "Shibata, Connected component labeling algorithm for GPGPU, 2014";

struct Shibata : ShibataPropagation {
    static constexpr std::string_view name = "shibata", source = shibata_2014;
};

}  // namespace voxcc::algorithms
