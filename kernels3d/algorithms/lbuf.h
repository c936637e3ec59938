// LBUF: line-based union-find.
//
// Source: Yonehara, Aizawa, "A line-based connected component labeling algorithm using GPUs", 2015; as described by Allegretti, Bolelli,
// Grana 2019, section 3.2.
// Idea: UF in tiles that are lines. Within a line a voxel has only one earlier neighbour, the voxel to its left. The local trees are links
// to the left, which are flattened in shared memory. Only the lines then need unions. We cut the volume into pieces of 256 voxels in raster
// order: a piece holds several short lines or a part of a long line.
//
//   lines     label[i] = 1 + the first voxel of i's run within its line and piece; 0 for background
//   merge     unite touching runs of a line and the line before; unite a run that continues in the next piece
//   compress  every voxel points to its root (InlineCompress)
// Memory: the label volume.
#pragma once
#include "kernels3d/algorithms/number.h"

#include <array>
#include <string_view>

namespace voxcc::algorithms {

struct LineUnionFind {
    static constexpr int piece = 256;  // voxels

    /// Shared memory of a piece: the lane that each lane is linked to.
    struct Links {
        std::uint32_t to[piece];
    };

    struct Lines {
        exec::Grid size;
        exec::Pointer<const std::uint8_t> voxels;
        exec::Pointer<std::uint32_t> labels;
        template <class Tile>
        VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
            const std::int64_t first = t * piece, n = size.cells();
            typename Tile::template PerLane<std::uint32_t> to;
            typename Tile::template PerLane<bool> foreground;
            tile.each([&](int lane) {
                const std::int64_t i = first + lane;
                foreground[lane] = i < n && voxels[i];
                const bool linked = foreground[lane] && lane > 0 && std::uint32_t(i) % size.x != 0 && voxels[i - 1];
                to[lane] = std::uint32_t(lane) - linked;
                tile.shared.to[lane] = to[lane];
            });
            do  // each round doubles the number of voxels that a link spans
                tile.each([&](int lane) { to[lane] = tile.shared.to[to[lane]]; });
            while (tile.any([&](int lane) {
                const bool changed = tile.shared.to[lane] != to[lane];
                tile.shared.to[lane] = to[lane];
                return changed;
            }));
            tile.each([&](int lane) {
                if (first + lane < n) labels[first + lane] = foreground[lane] ? std::uint32_t(first) + to[lane] + 1 : 0;
            });
        }
    };

    /// Unites a voxel with the line before. A union that the voxel to the left makes as well is omitted: both voxels are in one run.
    template <Connectivity K>
    struct Merge {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(exec::Cell c) const {
            const std::int64_t i = view.at(c.x, c.y, c.z);
            if (!view.voxels[i]) return;
            const bool left = view.foreground(c.x - 1, c.y, c.z), above = view.foreground(c.x, c.y - 1, c.z);
            const bool above_left = view.foreground(c.x - 1, c.y - 1, c.z);
            std::uint32_t label = std::uint32_t(i) + 1;
            const std::uint32_t label_above = label - view.size.x;
            if (left && i % piece == 0) label = unite(labels, label, std::uint32_t(i));
            if constexpr (K == Connectivity::c4) {
                if (above && !(left && above_left)) unite(labels, label, label_above);
            } else {
                if (above) {
                    if (!left) unite(labels, label, label_above);
                    return;
                }
                if (above_left && !left) label = unite(labels, label, label_above - 1);
                if (view.foreground(c.x + 1, c.y - 1, c.z)) unite(labels, label, label_above + 1);
            }
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        const std::int64_t n = p.size.cells();
        const VoxelView view{p.size, p.voxels};
        executor.template for_each_tile<piece, Links>("lines", (n + piece - 1) / piece, Lines{p.size, p.voxels, p.labels});
        if (p.connectivity == Connectivity::c4) executor.for_each("merge", p.size, Merge<Connectivity::c4>{view, p.labels});
        else executor.for_each("merge", p.size, Merge<Connectivity::c8>{view, p.labels});
        executor.for_each("compress", n, CompressWords<Compression::inline_steps>{p.labels});
        return number_voxels(executor, p);
    }
};

inline constexpr std::string_view yonehara = "Yonehara, Aizawa, A line-based connected component labeling algorithm using GPUs, 2015";

struct Lbuf : LineUnionFind {
    static constexpr std::string_view name = "lbuf", source = yonehara;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, section 3.2, after Yonehara, Aizawa 2015";
    static constexpr std::array connectivities{Connectivity::c4, Connectivity::c8};
};

}  // namespace voxcc::algorithms
