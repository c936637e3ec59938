// HA4: labels strips of rows by segments (runs of foreground pixels), which are found in bit masks.
//
// Source: Hennequin, Lacassagne, Cabaret, Meunier, "A new direct connected component labeling and analysis algorithm for GPUs", DASIP
// 2018, section IV (algorithms 1 to 7). The versions for connectivity 6 (3D) and 8 are ours.
// Idea: a warp reads a chunk of a row, 32 or 64 pixels, as a bit mask. By counting bits, each lane finds where the segment of its pixel
// starts. Only starts of segments have labels. Two segments are united only at the place where they first touch.
//
//   strips    a tile labels 4 rows from left to right. A start gets its own label. If the segment of the chunk before continues, the first
//             pixel of the chunk gets the label of that segment. Touching segments of neighbouring rows are united
//   borders   the same unions between the last row of a strip and the first row of the next strip; for connectivity 6, also between the
//             rows of neighbouring slices
//   relabel   each start finds its root; the pixels of its segment get the root's label; background gets 0
//   properties, if requested: each start adds the moments of its segment, in closed form, to the slot of its component
// The analysis (Measure::analysis, section IV-D) has other phases after the borders, and gives no labels:
//   number      lists the roots and writes the number of the component into the word of each root
//   properties  as above, but each start finds the number of its component by following the links
// Memory: the label volume.
#pragma once
#include "kernels3d/exec/bits.h"
#include "kernels3d/on_voxels/properties.h"
#include "lab/algorithms/number.h"

#include <array>
#include <string_view>
#include <type_traits>

namespace voxcc::algorithms {

/// Whether pixels of neighbouring rows that touch only at a corner are neighbours (diagonal) or not (straight).
enum class Touch : std::uint8_t { straight, diagonal };

/// Bit x stands for pixel x of a chunk.
template <int Bits>
using SegmentMask = std::conditional_t<Bits == 64, std::uint64_t, std::uint32_t>;

/// The number of consecutive foreground pixels that end at pixel x - 1. x must be in [0, number of bits].
/// pixels = [1 0 1 1 0 ...] from pixel 0 on, x = 4  ->  2
template <class Mask>
VOXCC_HD inline int start_distance(Mask pixels, int x) {
    return x == 0 ? 0 : exec::leading_zeros(Mask(~(pixels << (int(sizeof(Mask)) * 8 - x))));
}

/// The number of consecutive foreground pixels from pixel x on, including x. x must be in [0, number of bits).
/// pixels = [1 0 1 1 0 ...] from pixel 0 on, x = 2  ->  2
template <class Mask>
VOXCC_HD inline int end_distance(Mask pixels, int x) {
    return exec::trailing_zeros(Mask(~(pixels >> x)));
}

/// A chunk of a row. Pixel -1 is the last pixel of the chunk before.
template <int Bits>
struct SegmentChunk {
    SegmentMask<Bits> pixels;
    std::uint32_t before;  // length of the segment that ends with pixel -1; 0 if pixel -1 is background

    VOXCC_HD bool has(int x) const { return x < 0 ? before != 0 : bool(pixels >> x & 1); }
    /// Bit x: pixel x - 1.
    VOXCC_HD SegmentMask<Bits> moved() const { return pixels << 1 | SegmentMask<Bits>(before != 0); }
    /// Bit x: whether a segment starts at x. A segment that continues from the chunk before also counts as a start, at x = 0.
    VOXCC_HD SegmentMask<Bits> starts() const { return pixels & ~(pixels << 1); }
    /// The first pixel of the segment that contains pixel x, relative to this chunk; negative if it is in a chunk before. x >= -1.
    VOXCC_HD std::int64_t start(int x) const { return x <= 0 ? -std::int64_t(before) : x - start_distance(pixels, x); }
    /// The length of the segment that ends with the last pixel: `before` of the next chunk.
    VOXCC_HD std::uint32_t length_at_end() const {
        const int d = start_distance(pixels, Bits);
        return d == Bits ? before + Bits : std::uint32_t(d);
    }

    /// Bit x: a segment of this row and a segment of the row above first touch at x. With diagonal neighbours, one segment may end at x - 1
    /// and the other start at x. Each pair of touching segments has exactly one such x, and therefore needs one union.
    template <Touch T>
    VOXCC_HD SegmentMask<Bits> touches(const SegmentChunk& above) const {
        const SegmentMask<Bits> m = pixels, a = above.pixels, m1 = moved(), a1 = above.moved();
        const SegmentMask<Bits> both = m & a & ~(m1 & a1);
        if constexpr (T == Touch::diagonal) return both | (m & ~m1 & ~a & a1) | (~m & m1 & a & ~a1);
        else return both;
    }
};

/// The algorithm with `Bits` pixels per warp. T == Touch::diagonal: connectivity 8; T == Touch::straight: connectivities 4 and 6.
template <int Bits, Touch T>
struct HardwareAccelerated {
    static constexpr std::uint32_t strip = 4;  // rows per tile in the phase "strips"; in all phases, each warp has one row
    static constexpr int lanes = int(strip) * 32, halves = Bits / 32;
    using Mask = SegmentMask<Bits>;
    using Chunk = SegmentChunk<Bits>;

    VOXCC_HD static int row_of(int lane) { return lane / 32; }

    /// The mask of the pixels of each warp: bit x is is_set(lane, x).
    template <class Tile>
    struct Votes {
        typename Tile::template PerLane<std::uint32_t> half[halves];

        template <class IsSet>
        VOXCC_HD void take(Tile& tile, const IsSet& is_set) {
            VOXCC_UNROLL
            for (int h = 0; h < halves; ++h)
                tile.ballot(half[h], [&](int lane) { return is_set(lane, std::uint32_t(lane % 32 + 32 * h)); });
        }
        VOXCC_HD Mask operator[](int lane) {
            Mask mask = half[0][lane];
            if constexpr (Bits == 64) mask |= Mask(half[1][lane]) << 32;
            return mask;
        }
    };

    /// Calls f(x) for the pixels of the lane (one, or two for 64 bits) that are in `chosen`.
    template <class F>
    VOXCC_HD static void for_chosen(Mask chosen, int lane, const F& f) {
        VOXCC_UNROLL
        for (int h = 0; h < halves; ++h)
            if (const int x = lane % 32 * halves + h; chosen >> x & 1) f(x);
    }

    /// Unites the segments of two rows that first touch at a pixel of the lane.
    /// @param own_begin, above_begin index of the first voxel of each chunk
    VOXCC_HD static void unite_rows(exec::Pointer<std::uint32_t> labels, const Chunk& own, std::int64_t own_begin, const Chunk& above,
                                    std::int64_t above_begin, int lane) {
        for_chosen(own.template touches<T>(above), lane, [&](int x) {
            const std::int64_t a = own_begin + own.start(own.has(x) ? x : x - 1);
            const std::int64_t b = above_begin + above.start(above.has(x) ? x : x - 1);
            unite(labels, std::uint32_t(a) + 1, std::uint32_t(b) + 1);
        });
    }

    /// Shared memory of phase "strips": the current chunk of each row.
    struct StripShared {
        Mask row[strip];
    };
    struct Strips {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        std::uint32_t per_slice;  // strips per slice
        template <class Tile>
        VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
            const std::uint32_t z = std::uint32_t(t / per_slice), y0 = std::uint32_t(t % per_slice) * strip;
            typename Tile::template PerLane<Chunk> own, above;
            tile.each([&](int lane) { own[lane] = above[lane] = {}; });
            Votes<Tile> votes;
            for (std::uint32_t x0 = 0; x0 < view.size.x; x0 += Bits) {
                votes.take(tile, [&](int lane, std::uint32_t x) { return view.foreground(x0 + x, y0 + row_of(lane), z); });
                tile.each([&](int lane) {
                    own[lane].pixels = votes[lane];
                    const std::int64_t begin = view.at(x0, y0 + row_of(lane), z);
                    for_chosen(own[lane].starts(), lane,
                               [&](int x) { exec::store(labels + begin + x, std::uint32_t(begin + own[lane].start(x)) + 1); });
                    if (lane % 32 == 0) tile.shared.row[row_of(lane)] = own[lane].pixels;
                });
                tile.each([&](int lane) {
                    above[lane].pixels = row_of(lane) > 0 ? tile.shared.row[row_of(lane) - 1] : 0;
                    const std::int64_t begin = view.at(x0, y0 + row_of(lane), z);
                    unite_rows(labels, own[lane], begin, above[lane], begin - view.size.x, lane);
                    own[lane].before = own[lane].length_at_end();
                    above[lane].before = above[lane].length_at_end();
                });
            }
        }
    };

    struct Nothing {};
    /// Assigns one chunk to each warp. The chunks belong to `rows` rows y = first_y, first_y + step_y, ... in each of `slices` slices, from
    /// slice first_z on.
    struct Chunks {
        std::uint32_t per_row, first_y, step_y, rows, first_z, slices;
        struct Place {
            std::uint32_t x0, y, z;  // z = 2^32 - 1, outside the volume, for warps behind the last chunk
        };
        VOXCC_HD std::int64_t count() const { return std::int64_t(per_row) * rows * slices; }
        std::int64_t tiles() const { return (count() + strip - 1) / strip; }
        VOXCC_HD Place of(std::int64_t tile, int lane) const {
            const std::int64_t n = tile * strip + row_of(lane), row = n / per_row;
            if (n >= count()) return {0, 0, ~0u};
            return {std::uint32_t(n % per_row) * Bits, first_y + std::uint32_t(row % rows) * step_y, first_z + std::uint32_t(row / rows)};
        }
    };

    /// Unites the rows of `chunks` with the rows (y - up, z - back). A segment that continues from the chunk before counts as a start at
    /// x = 0: its first pixel in the chunk has a label. The end of the chunk before matters only for connectivity 8.
    struct Borders {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        Chunks chunks;
        std::uint32_t up, back;
        template <class Tile>
        VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
            typename Tile::template PerLane<typename Chunks::Place> at;
            typename Tile::template PerLane<Chunk> own, above;
            tile.each([&](int lane) {
                at[lane] = chunks.of(t, lane);
                own[lane] = above[lane] = {};
            });
            Votes<Tile> votes;
            const auto look = [&](auto& chunk, std::uint32_t y, std::uint32_t z) {
                if constexpr (T == Touch::diagonal) {  // the unsigned coordinates of pixels left of x = 0 are outside the volume
                    votes.take(tile, [&](int lane, std::uint32_t x) {
                        return view.foreground(at[lane].x0 - Bits + x, at[lane].y - y, at[lane].z - z);
                    });
                    tile.each([&](int lane) { chunk[lane].before = std::uint32_t(start_distance(votes[lane], Bits)); });
                }
                votes.take(tile,
                           [&](int lane, std::uint32_t x) { return view.foreground(at[lane].x0 + x, at[lane].y - y, at[lane].z - z); });
                tile.each([&](int lane) { chunk[lane].pixels = votes[lane]; });
            };
            look(own, 0, 0);
            look(above, up, back);
            tile.each([&](int lane) {
                const auto& [x0, y, z] = at[lane];
                if (z >= view.size.z) return;
                unite_rows(labels, own[lane], view.at(x0, y, z), above[lane], view.at(x0, y - up, z - back), lane);
            });
        }
    };

    struct RelabelShared {
        std::uint32_t root[strip][Bits];
    };
    struct Relabel {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        Chunks chunks;
        template <class Tile>
        VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
            typename Tile::template PerLane<typename Chunks::Place> at;
            tile.each([&](int lane) { at[lane] = chunks.of(t, lane); });
            Votes<Tile> votes;
            votes.take(tile, [&](int lane, std::uint32_t x) { return view.foreground(at[lane].x0 + x, at[lane].y, at[lane].z); });
            tile.each([&](int lane) {
                const Chunk chunk{votes[lane], 0};
                for_chosen(chunk.starts(), lane, [&](int x) {
                    const std::int64_t i = view.at(at[lane].x0, at[lane].y, at[lane].z) + x;
                    tile.shared.root[row_of(lane)][x] = find(labels, std::uint32_t(i) + 1);
                });
            });
            tile.each([&](int lane) {
                const auto& [x0, y, z] = at[lane];
                if (z >= view.size.z) return;
                const Mask pixels = votes[lane];
                VOXCC_UNROLL
                for (int x = lane % 32; x < Bits; x += 32) {
                    if (x0 + std::uint32_t(x) >= view.size.x) return;
                    const bool set = pixels >> x & 1;
                    exec::store(labels + view.at(x0, y, z) + x, set ? tile.shared.root[row_of(lane)][x - start_distance(pixels, x)] : 0);
                }
            });
        }
    };

    /// Whether voxel i is the start of a segment, and the root of its component. Only starts have a word.
    struct IsRoot {
        VoxelView view;
        exec::Pointer<const std::uint32_t> labels;
        VOXCC_HD bool operator()(std::int64_t i) const {
            if (view.voxels[i] == 0) return false;
            const bool at_start = std::uint32_t(i) % view.size.x == 0 || view.voxels[i - 1] == 0;
            return at_start && labels[i] == std::uint32_t(i) + 1;
        }
    };

    /// The contents of the label volume in the phase "properties".
    enum class Words : std::uint8_t { labels, forest_with_marked_roots };

    /// Phase "properties".
    template <int D, Words W>
    struct AddSegments {
        VoxelView view;
        exec::Pointer<const std::uint32_t> labels;
        Chunks chunks;
        Slots<D> slots;
        template <class Tile>
        VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
            typename Tile::template PerLane<typename Chunks::Place> at;
            tile.each([&](int lane) { at[lane] = chunks.of(t, lane); });
            Votes<Tile> votes;
            votes.take(tile, [&](int lane, std::uint32_t x) { return view.foreground(at[lane].x0 + x, at[lane].y, at[lane].z); });
            tile.each([&](int lane) {
                const Chunk chunk{votes[lane], 0};
                for_chosen(chunk.starts(), lane, [&](int x) {
                    const exec::Cell start{at[lane].x0 + std::uint32_t(x), at[lane].y, at[lane].z};
                    const Line segment = Line::stretch(start.x, std::uint64_t(end_distance(chunk.pixels, x)));
                    const std::int64_t i = view.at(start.x, start.y, start.z);
                    if constexpr (W == Words::labels) slots.add(labels[i], part_of_line<0, D>(segment, start));
                    else slots.add_as_published(number_in_forest(labels, std::uint32_t(i) + 1), part_of_line<0, D>(segment, start));
                });
            });
        }
    };

    static Chunks all_chunks(const exec::Grid& size) { return {(size.x + Bits - 1) / Bits, 0, 1, size.y, 0, size.z}; }

    template <Words W, int D, class Executor>
    static void add_segments(Executor& executor, const Problem& p, const Slots<D>& slots) {
        const Chunks all = all_chunks(p.size);
        executor.template for_each_tile<lanes, Nothing>("properties", all.tiles(),
                                                        AddSegments<D, W>{{p.size, p.voxels}, p.labels, all, slots});
    }
    /// As sum_columns() (late.h), but adds segments in place of columns.
    template <int D, class Executor>
    static void sum_segments(Executor& executor, const Problem& p, const Slots<D>& slots) {
        add_segments<Words::labels>(executor, p, slots);
    }

    /// Unites the segments of all components: the words of all starts then form a forest.
    template <class Executor>
    static void unite_segments(Executor& executor, const Problem& p) {
        const VoxelView view{p.size, p.voxels};
        const auto [nx, ny, nz] = p.size;
        const std::uint32_t per_row = (nx + Bits - 1) / Bits, per_slice = (ny + strip - 1) / strip;
        executor.template for_each_tile<lanes, StripShared>("strips", std::int64_t(per_slice) * nz, Strips{view, p.labels, per_slice});
        const Chunks first_rows{per_row, strip, strip, per_slice - 1, 0, nz};
        executor.template for_each_tile<lanes, Nothing>("borders", first_rows.tiles(), Borders{view, p.labels, first_rows, 1, 0});
        if (p.connectivity == Connectivity::c6) {
            const Chunks rows{per_row, 0, 1, ny, 1, nz - 1};
            executor.template for_each_tile<lanes, Nothing>("borders", rows.tiles(), Borders{view, p.labels, rows, 0, 1});
        }
    }

    /// The first part of the analysis. @return the number of components
    template <class Executor>
    static std::uint32_t find_components(Executor& executor, const Problem& p) {
        unite_segments(executor, p);
        return std::uint32_t(mark_roots(executor, p, IsRoot{{p.size, p.voxels}, p.labels}).size());
    }
    /// The second part of the analysis: adds all segments to the slots of their components.
    template <int D, class Executor>
    static void sum_components(Executor& executor, const Problem& p, const Slots<D>& slots) {
        add_segments<Words::forest_with_marked_roots>(executor, p, slots);
    }

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        unite_segments(executor, p);
        const Chunks all = all_chunks(p.size);
        executor.template for_each_tile<lanes, RelabelShared>("relabel", all.tiles(), Relabel{{p.size, p.voxels}, p.labels, all});
        return number_voxels(executor, p);
    }
};

inline constexpr std::string_view hennequin =
    "Hennequin, Lacassagne, Cabaret, Meunier, A new direct connected component labeling and analysis algorithm for GPUs, 2018";

struct Ha4 : HardwareAccelerated<32, Touch::straight> {
    static constexpr std::string_view name = "ha4", source = hennequin;
    static constexpr std::string_view origin = "Hennequin, Lacassagne, Cabaret, Meunier 2018, sections IV-A to IV-D";
    static constexpr std::array connectivities{Connectivity::c6, Connectivity::c4};
};

struct Ha4x64 : HardwareAccelerated<64, Touch::straight> {
    static constexpr std::string_view name = "ha4-64", source = hennequin;
    static constexpr std::string_view origin = "Hennequin, Lacassagne, Cabaret, Meunier 2018, section IV-E";
    static constexpr std::array connectivities{Connectivity::c6, Connectivity::c4};
};

struct Ha8 : HardwareAccelerated<32, Touch::diagonal> {
    static constexpr std::string_view name = "ha8", source = hennequin;
    static constexpr std::string_view origin = "ours: ha4 for 8 neighbours";
    static constexpr std::array connectivities{Connectivity::c8};
};

}  // namespace voxcc::algorithms
