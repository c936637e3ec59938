// HA4: strips of rows labelled by segments, found in bit masks.
//
// Source: Hennequin, Lacassagne, Cabaret, Meunier, "A new direct connected component labeling and analysis algorithm for GPUs", DASIP
// 2018, section IV (algorithms 1 to 7). 3D for 6 neighbours, and 8 neighbours, by us.
// Idea: a warp looks at a chunk of a row, 32 pixels or 64, as a bit mask, in which each lane finds by counting bits where the segment of
// its pixel starts. Only starts of segments have labels, and only where two segments first touch is there a union.
//
//   strips    a tile labels 4 rows from left to right: starts get their own label, a chunk's first pixel that goes on with the segment of
//             the chunk before gets that one's; touching segments of neighbouring rows are united
//   borders   the same unions between the last row of a strip and the first of the next, and (6) between the rows of neighbouring slices
//   relabel   each start finds its root and hands it to the pixels of its segment; background gets 0
//   properties, if wanted: each start computes the moments of its segment in closed form and adds them to its component's slot
// Memory: the label volume.
#pragma once
#include "kernels3d/algorithms/number.h"
#include "kernels3d/algorithms/properties.h"
#include "kernels3d/exec/bits.h"

#include <array>
#include <string_view>
#include <type_traits>

namespace voxcc::algorithms {

/// Whether pixels that touch at a corner only are neighbours: 8 instead of 4.
enum class Touch : std::uint8_t { straight, diagonal };

template <int Bits>
using SegmentMask = std::conditional_t<Bits == 64, std::uint64_t, std::uint32_t>;

/// How many pixels lie without a gap before pixel x; x is 0 to the number of bits.
template <class Mask>
VOXCC_HD inline int start_distance(Mask pixels, int x) {
    return x == 0 ? 0 : exec::leading_zeros(Mask(~(pixels << (int(sizeof(Mask)) * 8 - x))));
}

/// How many pixels lie without a gap from pixel x on, itself included; x is below the number of bits.
template <class Mask>
VOXCC_HD inline int end_distance(Mask pixels, int x) {
    return exec::trailing_zeros(Mask(~(pixels >> x)));
}

/// A chunk of a row; pixel -1 is the last of the chunk before.
template <int Bits>
struct SegmentChunk {
    SegmentMask<Bits> pixels;
    std::uint32_t before;  // the length of the segment that ends with pixel -1, 0 if that is background

    VOXCC_HD bool has(int x) const { return x < 0 ? before != 0 : bool(pixels >> x & 1); }
    /// Bit x: pixel x - 1.
    VOXCC_HD SegmentMask<Bits> moved() const { return pixels << 1 | SegmentMask<Bits>(before != 0); }
    /// Bit x: whether a segment starts there, as far as this chunk shows.
    VOXCC_HD SegmentMask<Bits> starts() const { return pixels & ~(pixels << 1); }
    /// Where the segment with pixel x, -1 or more, starts.
    VOXCC_HD std::int64_t start(int x) const { return x <= 0 ? -std::int64_t(before) : x - start_distance(pixels, x); }
    VOXCC_HD std::uint32_t length_at_end() const {
        const int d = start_distance(pixels, Bits);
        return d == Bits ? before + Bits : std::uint32_t(d);
    }

    /// Bit x: segments of this row and the row above first touch at x, where for 8 neighbours one may end at x - 1 and the other start at
    /// x. Each pair of segments has one such x, so that each needs one union.
    template <Touch T>
    VOXCC_HD SegmentMask<Bits> touches(const SegmentChunk& above) const {
        const SegmentMask<Bits> m = pixels, a = above.pixels, m1 = moved(), a1 = above.moved();
        const SegmentMask<Bits> both = m & a & ~(m1 & a1);
        if constexpr (T == Touch::diagonal) return both | (m & ~m1 & ~a & a1) | (~m & m1 & a & ~a1);
        else return both;
    }
};

/// `Bits` pixels a warp. T == Touch::diagonal: 8 neighbours, else 4, or 6.
template <int Bits, Touch T>
struct HardwareAccelerated {
    static constexpr std::uint32_t strip = 4;  // rows of a tile in the first phase; in all phases a warp has one row
    static constexpr int lanes = int(strip) * 32, halves = Bits / 32;
    using Mask = SegmentMask<Bits>;
    using Chunk = SegmentChunk<Bits>;

    VOXCC_HD static int row_of(int lane) { return lane / 32; }

    /// The votes of a warp's lanes on its pixels; is_set(lane, x).
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

    /// Calls f(x) for those of the lane's one or two pixels that are in `chosen`.
    template <class F>
    VOXCC_HD static void for_chosen(Mask chosen, int lane, const F& f) {
        VOXCC_UNROLL
        for (int h = 0; h < halves; ++h)
            if (const int x = lane % 32 * halves + h; chosen >> x & 1) f(x);
    }

    /// The unions of a lane; own_begin and above_begin are the voxels where the chunks begin.
    VOXCC_HD static void unite_rows(exec::Pointer<std::uint32_t> labels, const Chunk& own, std::int64_t own_begin, const Chunk& above,
                                    std::int64_t above_begin, int lane) {
        for_chosen(own.template touches<T>(above), lane, [&](int x) {
            const std::int64_t a = own_begin + own.start(own.has(x) ? x : x - 1);
            const std::int64_t b = above_begin + above.start(above.has(x) ? x : x - 1);
            unite(labels, std::uint32_t(a) + 1, std::uint32_t(b) + 1);
        });
    }

    struct StripShared {
        Mask row[strip];
    };
    struct Strips {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        std::uint32_t per_slice;
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
    /// Warps that each have a chunk of some rows: y = first_y, first_y + step_y, ... in all slices from first_z.
    struct Chunks {
        std::uint32_t per_row, first_y, step_y, rows, first_z, slices;
        struct Place {
            std::uint32_t x0, y, z;  // z is 2^32 - 1, past the end, for the warps behind the last chunk
        };
        VOXCC_HD std::int64_t count() const { return std::int64_t(per_row) * rows * slices; }
        std::int64_t tiles() const { return (count() + strip - 1) / strip; }
        VOXCC_HD Place of(std::int64_t tile, int lane) const {
            const std::int64_t n = tile * strip + row_of(lane), row = n / per_row;
            if (n >= count()) return {0, 0, ~0u};
            return {std::uint32_t(n % per_row) * Bits, first_y + std::uint32_t(row % rows) * step_y, first_z + std::uint32_t(row / rows)};
        }
    };

    /// Unions between rows and the rows (0, up, back) before them. A segment that goes on from the chunk before counts as one that starts
    /// here, as its first pixel has a label; only for 8 neighbours does the end of the chunk before matter.
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
                if constexpr (T == Touch::diagonal) {  // left of x = 0, coordinates wrap around to outside
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

    template <int D>
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
                    slots.add(labels[view.at(start.x, start.y, start.z)], part_of_line<0, D>(segment, start));
                });
            });
        }
    };

    static Chunks all_chunks(const exec::Grid& size) { return {(size.x + Bits - 1) / Bits, 0, 1, size.y, 0, size.z}; }

    /// As sum_columns() of late.h, by segments.
    template <int D, class Executor>
    static void sum_segments(Executor& executor, const Problem& p, const Slots<D>& slots) {
        const Chunks all = all_chunks(p.size);
        executor.template for_each_tile<lanes, Nothing>("properties", all.tiles(),
                                                        AddSegments<D>{{p.size, p.voxels}, p.labels, all, slots});
    }

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
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
        const Chunks all = all_chunks(p.size);
        executor.template for_each_tile<lanes, RelabelShared>("relabel", all.tiles(), Relabel{view, p.labels, all});
        return number_voxels(executor, p);
    }
};

inline constexpr std::string_view hennequin =
    "Hennequin, Lacassagne, Cabaret, Meunier, A new direct connected component labeling and analysis algorithm for GPUs, 2018";

struct Ha4 : HardwareAccelerated<32, Touch::straight> {
    static constexpr std::string_view name = "ha4", source = hennequin;
    static constexpr std::array connectivities{Connectivity::c6, Connectivity::c4};
};

struct Ha4x64 : HardwareAccelerated<64, Touch::straight> {
    static constexpr std::string_view name = "ha4-64", source = hennequin;
    static constexpr std::array connectivities{Connectivity::c6, Connectivity::c4};
};

struct Ha8 : HardwareAccelerated<32, Touch::diagonal> {
    static constexpr std::string_view name = "ha8";
    static constexpr std::string_view source = "voxcc: ha4 (Hennequin, Lacassagne, Cabaret, Meunier, 2018) for 8 neighbours";
    static constexpr std::array connectivities{Connectivity::c8};
};

}  // namespace voxcc::algorithms
