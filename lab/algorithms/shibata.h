// Shibata: label propagation, in the three versions of the article. The third version makes four jumps per pass.
//
// Source: Shibata, "Connected component labeling algorithm for GPGPU", sections 3 to 6 (algorithms 1 to 4); Shibata, Yamamoto, "GPGPU-
// assisted subpixel tracking method for fiducial markers", 2014. The original has connectivity 8; the others, and 3D, are ours.
// Idea: a label refers to a voxel: it is 1 + the index of a voxel of the same component, which is not behind the labelled voxel. In each
// pass, every voxel takes the smallest label around it. A jump replaces a label by the label of the voxel that it refers to. After four
// jumps, the result is stored at the voxel and at the voxel that its old label refers to. A region with a common label changes as one.
//
//   prepare    label[i] = i + 1, or 0 for background
//   propagate  h = label[i]; g = smallest label around i. Repeat until nothing changes:
//                naive (algorithm 2)  store g at voxel i
//                slow  (algorithm 3)  replace g by the result of four jumps; store g at voxel i
//                fast  (algorithm 4)  replace g by the result of four jumps; store the minimum with g at voxel h - 1 and at voxel i
// At the end, neighbours have equal labels. No label refers to a voxel behind its own. Each label therefore refers to the first voxel of
// its component.
// Memory: the label volume and one word.
#pragma once
#include "lab/algorithms/iterate.h"
#include "lab/algorithms/neighbours.h"
#include "lab/algorithms/number.h"

#include <string_view>

namespace voxcc::algorithms {

/// What a voxel does with the smallest label around it.
enum class ShibataStep : std::uint8_t {
    naive,  // takes the label
    slow,   // takes the label after four jumps
    fast    // also gives the label after four jumps to the voxel that its old label refers to
};

template <ShibataStep S>
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
            if constexpr (S != ShibataStep::naive)
                for (int jump = 0; jump < 4; ++jump) g = exec::load(labels + g - 1);
            if (g >= h) return;  // no store would change a word: labels[h - 1] is never greater than h
            if constexpr (S == ShibataStep::fast) {
                exec::fetch_min(labels + h - 1, g);
                exec::fetch_min(labels + i, g);
            } else {
                exec::store(labels + i, g);  // no other thread writes this word
            }
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

struct ShibataNaive : ShibataPropagation<ShibataStep::naive> {
    static constexpr std::string_view name = "shibata-naive", source = shibata_2014;
    static constexpr std::string_view origin = "Shibata 2014, algorithm 2";
    static constexpr bool walks_paths = true;
};

struct ShibataSlow : ShibataPropagation<ShibataStep::slow> {
    static constexpr std::string_view name = "shibata-slow", source = shibata_2014;
    static constexpr std::string_view origin = "Shibata 2014, algorithm 3";
    static constexpr bool walks_paths = true;
};

struct Shibata : ShibataPropagation<ShibataStep::fast> {
    static constexpr std::string_view name = "shibata", source = shibata_2014;
    static constexpr std::string_view origin = "Shibata 2014, algorithm 4";
};

}  // namespace voxcc::algorithms
