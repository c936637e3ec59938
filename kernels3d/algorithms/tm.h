// TM: tile merging.
//
// Source: Oliveira, Lotufo 2010; Stava, Benes, "Connected component labeling in CUDA", 2010; both as described by Asad, Marroquim, Souza,
// "On GPU connected components and properties", 2019, sections II-A and III-C. The 3D version is ours.
// Idea: slices are cut into tiles. A thread block labels a tile completely in shared memory, by label equivalence. Only voxels on the two
// sides of a border between tiles, or between slices, then need unions, in the label volume.
//
//   local merge       every word = 1 + the first voxel of its component within the tile; 0 for background
//   merge x, y, z     unite voxels across the borders between columns of tiles, rows of tiles, and slices
//   path compression  every word points to its root
// The papers use images of 2^n x 2^n pixels. They merge 4x4 tiles to a larger tile, level by level, with path compression between the
// levels. The unions of forest.h need no levels: they may process all borders in any order, in volumes of any size.
// Properties (early.h) are gathered after the local merge and after the path compression.
// Memory: the label volume; 4 bytes of shared memory per voxel of a tile.
#pragma once
#include "kernels3d/algorithms/early.h"
#include "kernels3d/algorithms/number.h"
#include "kernels3d/algorithms/tiling.h"

#include <string_view>

namespace voxcc::algorithms {

template <std::uint32_t Width, std::uint32_t Height>
struct TileMerging {
    using Tiles = Tiling<Width, Height>;

    /// Whether diagonal voxels of a slice are neighbours: true for 8, 18 and 26.
    VOXCC_HD static constexpr bool diagonal(Connectivity k) { return is_neighbour(k, 1, 1, 0); }
    VOXCC_HD static constexpr bool across_slices(Connectivity k) { return is_neighbour(k, 0, 0, 1); }

    struct Shared {
        std::uint32_t labels[Tiles::lanes];  // 1 + the parent lane; 0 is background
    };

    template <Connectivity K>
    struct LocalMerge {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;

        /// The smallest nonzero label of a lane and its neighbours in the tile. The lane must be foreground.
        VOXCC_HD static std::uint32_t smallest_around(const std::uint32_t* local, int lane) {
            const std::uint32_t x = std::uint32_t(lane) % Width, y = std::uint32_t(lane) / Width;
            std::uint32_t smallest = local[lane];
            VOXCC_UNROLL
            for (int d = 0; d < 9; ++d) {
                const int dx = d % 3 - 1, dy = d / 3 - 1;
                if (!is_neighbour(K, dx, dy, 0) || x + std::uint32_t(dx) >= Width || y + std::uint32_t(dy) >= Height) continue;
                const std::uint32_t label = local[lane + dy * int(Width) + dx];
                if (label != 0 && label < smallest) smallest = label;
            }
            return smallest;
        }

        /// Labels one tile. Reads and writes of shared labels are in different steps. Only the step that links has concurrent writes to one
        /// word, and these are atomic.
        template <class Tile>
        VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
            const Tiles tiles{view.size};
            const exec::Cell first = tiles.first_voxel(t);
            std::uint32_t* const local = tile.shared.labels;
            typename Tile::template PerLane<std::uint32_t> own, smallest;
            tile.each([&](int lane) {
                const exec::Cell c = Tiles::voxel(first, lane);
                own[lane] = view.foreground(c.x, c.y, c.z) ? std::uint32_t(lane) + 1 : 0;
                local[lane] = own[lane];
            });
            for (;;) {
                tile.each([&](int lane) { smallest[lane] = own[lane] ? smallest_around(local, lane) : 0; });
                const bool linked = tile.any([&](int lane) {
                    if (smallest[lane] >= own[lane]) return false;
                    exec::fetch_min(local + own[lane] - 1, smallest[lane]);
                    return true;
                });
                if (!linked) break;
                tile.each([&](int lane) {
                    if (own[lane])
                        for (std::uint32_t parent; (parent = local[own[lane] - 1]) != own[lane];) own[lane] = parent;
                });
                tile.each([&](int lane) { local[lane] = own[lane]; });
            }
            tile.each([&](int lane) {
                const exec::Cell c = Tiles::voxel(first, lane);
                if (!tiles.contains(c)) return;
                const exec::Cell root = Tiles::voxel(first, int(own[lane]) - 1);
                labels[view.at(c.x, c.y, c.z)] = own[lane] ? std::uint32_t(view.at(root.x, root.y, root.z)) + 1 : 0;
            });
        }
    };

    /// Unites voxels on the two sides of a border.
    struct Border {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;

        VOXCC_HD void unite_voxels(const exec::Cell& a, const exec::Cell& b) const {
            unite(labels, std::uint32_t(view.at(a.x, a.y, a.z)) + 1, std::uint32_t(view.at(b.x, b.y, b.z)) + 1);
        }
        VOXCC_HD bool foreground(const exec::Cell& c) const { return view.foreground(c.x, c.y, c.z); }
        VOXCC_HD void unite_if_foreground(const exec::Cell& a, const exec::Cell& b) const {
            if (foreground(b)) unite_voxels(a, b);
        }
    };

    /// Phase "merge x": cell (x, y, z) stands for the first voxel behind border x between columns of tiles. If the voxel straight across
    /// the border is foreground, the diagonal voxels are its neighbours within the slice. They belong to its component without a union.
    template <Connectivity K>
    struct MergeX {
        Border border;
        VOXCC_HD void operator()(const exec::Cell& i) const {
            const exec::Cell c{(i.x + 1) * Width, i.y, i.z}, across{c.x - 1, c.y, c.z};
            if (!border.foreground(c)) return;
            if (border.foreground(across)) border.unite_voxels(c, across);
            else if (diagonal(K)) {
                border.unite_if_foreground(c, {c.x - 1, c.y - 1, c.z});
                border.unite_if_foreground(c, {c.x - 1, c.y + 1, c.z});
            }
        }
    };

    /// Phase "merge y": as MergeX, for the borders between rows of tiles.
    template <Connectivity K>
    struct MergeY {
        Border border;
        VOXCC_HD void operator()(const exec::Cell& i) const {
            const exec::Cell c{i.x, (i.y + 1) * Height, i.z}, across{c.x, c.y - 1, c.z};
            if (!border.foreground(c)) return;
            if (border.foreground(across)) border.unite_voxels(c, across);
            else if (diagonal(K)) {
                border.unite_if_foreground(c, {c.x - 1, c.y - 1, c.z});
                border.unite_if_foreground(c, {c.x + 1, c.y - 1, c.z});
            }
        }
    };

    /// Phase "merge z": as MergeX, for the borders between slices; cell (x, y, z) stands for the voxel (x, y, z + 1).
    template <Connectivity K>
    struct MergeZ {
        Border border;
        VOXCC_HD void operator()(const exec::Cell& i) const {
            const exec::Cell c{i.x, i.y, i.z + 1};
            if (!border.foreground(c)) return;
            if (border.foreground(i)) {
                border.unite_voxels(c, i);
                return;
            }
            VOXCC_UNROLL
            for (int d = 0; d < 9; ++d) {
                const int dx = d % 3 - 1, dy = d / 3 - 1;
                if ((dx != 0 || dy != 0) && is_neighbour(K, dx, dy, -1))
                    border.unite_if_foreground(c, {c.x + std::uint32_t(dx), c.y + std::uint32_t(dy), i.z});
            }
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p, EarlyMoments<Executor>& moments) {
        const VoxelView view{p.size, p.voxels};
        const Border border{view, p.labels};
        const Tiles tiles{p.size};
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            executor.template for_each_tile<Tiles::lanes, Shared>("local merge", tiles.tiles(), LocalMerge<K>{view, p.labels});
            moments.start();
            moments.gather();
            executor.for_each("merge x", exec::Grid{tiles.columns() - 1, p.size.y, p.size.z}, MergeX<K>{border});
            executor.for_each("merge y", exec::Grid{p.size.x, tiles.rows() - 1, p.size.z}, MergeY<K>{border});
            if (across_slices(K)) executor.for_each("merge z", exec::Grid{p.size.x, p.size.y, p.size.z - 1}, MergeZ<K>{border});
        });
        executor.for_each("path compression", p.size.cells(), CompressWords<Compression::plain>{p.labels});
        moments.gather();
        return number_voxels(executor, p);
    }
};

inline constexpr std::string_view stava = "Stava, Benes, Connected component labeling in CUDA, 2010";

struct Tm : TileMerging<16, 16> {
    static constexpr std::string_view name = "tm", source = stava;
    static constexpr std::string_view origin = "Asad, Marroquim, Souza 2019, section II-A, after Stava, Benes 2010";
};

struct Tm32x8 : TileMerging<32, 8> {
    static constexpr std::string_view name = "tm-32x8", source = stava;
    static constexpr std::string_view origin = "ours: tm with tiles of 32x8 voxels";
};

struct Tm32x32 : TileMerging<32, 32> {
    static constexpr std::string_view name = "tm-32x32", source = stava;
    static constexpr std::string_view origin = "ours: tm with tiles of 32x32 voxels";
};

}  // namespace voxcc::algorithms
