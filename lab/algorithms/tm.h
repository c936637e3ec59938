// TM: tile merging.
//
// Source: Oliveira, Lotufo 2010; Stava, Benes, "Connected component labeling in CUDA", 2010; both as described by Asad, Marroquim, Souza,
// "On GPU connected components and properties", 2019, sections II-A and III-C. The 3D version is ours.
// Idea: slices are cut into tiles. A thread block labels a tile completely in shared memory, by label equivalence. Only voxels on the two
// sides of a border between tiles, or between slices, then need unions, in the label volume. At each level, 4x4 tiles (4x4x4 if the
// connectivity crosses slices) become one larger tile, and the trees are flattened before the next level.
//
//   local merge       every word = 1 + the first voxel of its component within the tile; 0 for background
//   global merge k    level k = 1, 2, ..: unite voxels across the borders between the 4x4(x4) tiles that become one tile. Tiles of level 1
//                     are 16x16x1 voxels, tiles of level k are 4^(k - 1) times as large along each axis
//   path compression  after each level: every word points to its root
// Volumes of any size have levels: tiles and groups of tiles at the far faces may be partly outside the volume.
// The variants with a single merge (ours) have one level: phases "merge x", "merge y" and "merge z" merge all borders between columns of
// tiles, rows of tiles, and slices, and one path compression follows.
// Properties (early.h) are gathered after the local merge and after each path compression.
// Memory: the label volume; 4 bytes of shared memory per voxel of a tile.
#pragma once
#include "lab/algorithms/early.h"
#include "lab/algorithms/number.h"
#include "lab/algorithms/tiling.h"

#include <array>
#include <string_view>

namespace voxcc::algorithms {

enum class Merging : std::uint8_t { by_level, all_borders };

/// The borders between tiles along one axis that are merged at one level.
//   tiles of 16 voxels, together 4, extent 100: 7 tiles, borders before voxels 16, 32, 48 | 80, 96
struct LevelBorders {
    std::uint32_t edge;      // voxels per tile
    std::uint32_t together;  // tiles that become one tile; borders between these larger tiles are not merged

    std::uint32_t count(std::uint32_t extent) const {
        const std::uint32_t all = extent / edge + (extent % edge != 0) - 1;
        return all - all / together;
    }
    /// The coordinate of the first voxel behind border i.
    VOXCC_HD std::uint32_t behind(std::uint32_t i) const { return (i + i / (together - 1) + 1) * edge; }
};

template <std::uint32_t Width, std::uint32_t Height, Merging M>
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

    /// Cell (x, y, z) stands for the first voxel behind border x between columns of tiles. If the voxel straight across the border is
    /// foreground, the diagonal voxels are its neighbours within the slice. They belong to its component without a union.
    template <Connectivity K>
    struct MergeX {
        Border border;
        LevelBorders columns;
        VOXCC_HD void operator()(const exec::Cell& i) const {
            const exec::Cell c{columns.behind(i.x), i.y, i.z}, across{c.x - 1, c.y, c.z};
            if (!border.foreground(c)) return;
            if (border.foreground(across)) border.unite_voxels(c, across);
            else if (diagonal(K)) {
                border.unite_if_foreground(c, {c.x - 1, c.y - 1, c.z});
                border.unite_if_foreground(c, {c.x - 1, c.y + 1, c.z});
            }
        }
    };

    /// As MergeX, for the borders between rows of tiles.
    template <Connectivity K>
    struct MergeY {
        Border border;
        LevelBorders rows;
        VOXCC_HD void operator()(const exec::Cell& i) const {
            const exec::Cell c{i.x, rows.behind(i.y), i.z}, across{c.x, c.y - 1, c.z};
            if (!border.foreground(c)) return;
            if (border.foreground(across)) border.unite_voxels(c, across);
            else if (diagonal(K)) {
                border.unite_if_foreground(c, {c.x - 1, c.y - 1, c.z});
                border.unite_if_foreground(c, {c.x + 1, c.y - 1, c.z});
            }
        }
    };

    /// As MergeX, for the borders between layers of tiles.
    template <Connectivity K>
    struct MergeZ {
        Border border;
        LevelBorders layers;
        VOXCC_HD void operator()(const exec::Cell& i) const {
            const exec::Cell c{i.x, i.y, layers.behind(i.z)}, across{c.x, c.y, c.z - 1};
            if (!border.foreground(c)) return;
            if (border.foreground(across)) {
                border.unite_voxels(c, across);
                return;
            }
            VOXCC_UNROLL
            for (int d = 0; d < 9; ++d) {
                const int dx = d % 3 - 1, dy = d / 3 - 1;
                if ((dx != 0 || dy != 0) && is_neighbour(K, dx, dy, -1))
                    border.unite_if_foreground(c, {c.x + std::uint32_t(dx), c.y + std::uint32_t(dy), across.z});
            }
        }
    };

    /// The borders of one level along the three axes, and the names of the phases that merge them.
    struct Level {
        LevelBorders columns, rows, layers;
        const char *x, *y, *z;
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p, EarlyMoments<Executor>& moments) {
        const Tiles tiles{p.size};
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            executor.template for_each_tile<Tiles::lanes, Shared>("local merge", tiles.tiles(),
                                                                  LocalMerge<K>{{p.size, p.voxels}, p.labels});
            moments.start();
            moments.gather();
            if constexpr (M == Merging::by_level) merge_levels<K>(executor, p, moments);
            else merge<K>(executor, p, moments, {{Width, all_tiles}, {Height, all_tiles}, {1, all_tiles}, "merge x", "merge y", "merge z"});
        });
        return number_voxels(executor, p);
    }

private:
    static constexpr std::uint32_t all_tiles = ~std::uint32_t{0};

    template <Connectivity K, class Executor>
    static void merge(Executor& executor, const Problem& p, EarlyMoments<Executor>& moments, const Level& level) {
        const Border border{{p.size, p.voxels}, p.labels};
        const exec::Grid n = p.size;
        executor.for_each(level.x, exec::Grid{level.columns.count(n.x), n.y, n.z}, MergeX<K>{border, level.columns});
        executor.for_each(level.y, exec::Grid{n.x, level.rows.count(n.y), n.z}, MergeY<K>{border, level.rows});
        if (across_slices(K)) executor.for_each(level.z, exec::Grid{n.x, n.y, level.layers.count(n.z)}, MergeZ<K>{border, level.layers});
        executor.for_each("path compression", n.cells(), CompressWords<Compression::plain>{p.labels});
        moments.gather();
    }

    template <Connectivity K, class Executor>
    static void merge_levels(Executor& executor, const Problem& p, EarlyMoments<Executor>& moments) {
        // The longest axis has less than 2^31 voxels, and 4^16 tiles of one voxel are 2^32 voxels.
        constexpr std::array names{"global merge 1",  "global merge 2",  "global merge 3",  "global merge 4",
                                   "global merge 5",  "global merge 6",  "global merge 7",  "global merge 8",
                                   "global merge 9",  "global merge 10", "global merge 11", "global merge 12",
                                   "global merge 13", "global merge 14", "global merge 15", "global merge 16"};
        constexpr std::uint32_t together = 4, longest = std::uint32_t{1} << 31;
        const auto larger = [](std::uint32_t edge) { return edge < longest / together ? together * edge : longest; };
        std::uint32_t width = Width, height = Height, depth = 1;
        for (const char* name : names) {
            if (width >= p.size.x && height >= p.size.y && (depth >= p.size.z || !across_slices(K))) break;
            merge<K>(executor, p, moments, {{width, together}, {height, together}, {depth, together}, name, name, name});
            width = larger(width), height = larger(height), depth = larger(depth);
        }
    }
};

inline constexpr std::string_view stava = "Stava, Benes, Connected component labeling in CUDA, 2010";

struct Tm : TileMerging<16, 16, Merging::by_level> {
    static constexpr std::string_view name = "tm", source = stava;
    static constexpr std::string_view origin = "Asad, Marroquim, Souza 2019, sections II-A and III-C, table II, after Stava, Benes 2010";
};

struct TmSingle : TileMerging<16, 16, Merging::all_borders> {
    static constexpr std::string_view name = "tm-single", source = stava;
    static constexpr std::string_view origin = "ours: tm with one merge of all borders";
};

struct Tm32x8 : TileMerging<32, 8, Merging::all_borders> {
    static constexpr std::string_view name = "tm-32x8", source = stava;
    static constexpr std::string_view origin = "ours: tm-single with tiles of 32x8 voxels";
};

struct Tm32x32 : TileMerging<32, 32, Merging::all_borders> {
    static constexpr std::string_view name = "tm-32x32", source = stava;
    static constexpr std::string_view origin = "ours: tm-single with tiles of 32x32 voxels";
};

}  // namespace voxcc::algorithms
