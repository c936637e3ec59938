// LBUF: line-based union-find.
//
// Source: Yonehara, Aizawa, "A line-based connected component labeling algorithm using GPUs", 2015; as described by Allegretti, Bolelli,
// Grana 2019, section 3.2 ("single lines as tiles"), and by Asad, Marroquim, Souza 2019, section II-A ("w x 1 stripes").
// Idea: UF in tiles that are lines. Within a line, each voxel has only one earlier neighbour, the voxel to its left. The local trees are
// links to the left, which are flattened in shared memory. Only the lines then need unions.
//
//   lines     one thread block per line: label[i] = 1 + the first voxel of i's run; 0 for background
//   merge     unite touching runs of a line and the line before
//   compress  every voxel points to its root (InlineCompress)
// A thread block has 256 lanes, and a line has any length: the lanes label 256 voxels at a time, from left to right. The first voxel of a
// run that continues in the next 256 voxels is kept in shared memory.
// Memory: the label volume.
#pragma once
#include "lab/algorithms/number.h"

#include <array>
#include <string_view>

namespace voxcc::algorithms {

struct LineUnionFind {
    static constexpr int lanes = 256;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    /// Shared memory of a line.
    struct Line {
        std::uint32_t to[lanes];  // the lane that each lane is linked to
        std::uint32_t open;       // x of the first voxel of the run that the last lane belongs to; `none` if that voxel is background
    };

    struct Lines {
        exec::Grid size;
        exec::Pointer<const std::uint8_t> voxels;
        exec::Pointer<std::uint32_t> labels;
        template <class Tile>
        VOXCC_HD void operator()(Tile& tile, std::int64_t line) const {
            tile.each([&](int lane) {
                if (lane == 0) tile.shared.open = none;
            });
            for (std::uint32_t first = 0; first < size.x; first += lanes) label_lanes(tile, line * size.x, first);
        }

    private:
        /// Labels the voxels [first, first + lanes) of a line.
        /// @param row the index of the first voxel of the line
        template <class Tile>
        VOXCC_HD void label_lanes(Tile& tile, std::int64_t row, std::uint32_t first) const {
            typename Tile::template PerLane<std::uint32_t> to, start;
            typename Tile::template PerLane<bool> foreground;
            tile.each([&](int lane) {
                const std::uint32_t x = first + std::uint32_t(lane);
                foreground[lane] = x < size.x && voxels[row + x];
                to[lane] = std::uint32_t(lane) - (foreground[lane] && lane > 0 && voxels[row + x - 1]);
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
                const std::uint32_t x = first + std::uint32_t(lane);
                const bool continues = to[lane] == 0 && tile.shared.open != none;  // if foreground, the run of lane 0 began further left
                start[lane] = !foreground[lane] ? none : continues ? tile.shared.open : first + to[lane];
                if (x < size.x) labels[row + x] = foreground[lane] ? std::uint32_t(row) + start[lane] + 1 : 0;
            });
            tile.each([&](int lane) {
                if (lane == lanes - 1) tile.shared.open = start[lane];
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
        executor.template for_each_tile<lanes, Line>("lines", std::int64_t(p.size.y) * p.size.z, Lines{p.size, p.voxels, p.labels});
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
