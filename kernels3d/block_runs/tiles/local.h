// Phase "local": every tile on its own, from voxels to roots.
//
// Union-find in shared memory, in rounds whose steps either read or write a word, so that no two lanes meet but in atomic minima:
//   hook[a] = the least earlier run that a touches                            while pairs of touching runs are listed
//   root[i] = the end of the chain of hooks from i; then hook[i] = root[i]
//   each listed pair whose roots differ: hook of the later root = minimum with the earlier one; again, until no pair is apart
// A lane compacts its part of the list to pairs of roots still apart. Pairs that the list has no room for are found anew in every round.
#pragma once
#include "kernels3d/block_runs/tiles/contacts.h"
#include "kernels3d/exec/atomic.h"

#include <algorithm>

namespace voxcc::block_runs::tiles {

/// Pairs of runs at which 64 columns of a block-row and of one before it touch, without those that other contacts join.
/// @param own a block-row among those of its tile, at block-row y of its layer; its partner lies in the tile as well
template <Connectivity K, Before Which>
VOXCC_HD inline uint64_t events_with(const uint64_t* own, int y, uint64_t starts) {
    using Shape = TileShape<K>;
    constexpr Links C = links_of<K>;
    constexpr int depth = Shape::depth, next_y = depth, next_z = Shape::blocks_y * depth;
    const uint64_t* const other = own + step_y(Which) * next_y + step_z(Which) * next_z;
    if constexpr (Which == Before::before) return pair_events(touching<C.before, depth>(own, other), 0, starts);
    if constexpr (Which == Before::below) {
        uint64_t bridged = 0;
        if (y > 0)
            bridged = same_column<C.before, depth>(own, own - next_y) & same_column<C.below, depth>(own - next_y, other - next_y) &
                      same_column<C.before, depth>(other, other - next_y);
        return pair_events(touching<C.below, depth>(own, other), bridged, starts);
    }
    if constexpr (Which == Before::below_before) {
        const uint64_t* const before = own - next_y;
        const uint64_t* const below = own - next_z;
        const uint64_t bridged = (same_column<C.before, depth>(own, before) & same_column<C.below, depth>(before, other)) |
                                 (same_column<C.below, depth>(own, below) & same_column<C.before, depth>(below, other));
        return pair_events(touching<C.below_before, depth>(own, other), bridged, starts);
    }
    if constexpr (Which == Before::below_after) {
        const uint64_t* const after = own + next_y;
        const uint64_t* const below = own - next_z;
        const uint64_t bridged = (same_column<C.before, depth>(after, own) & same_column<C.below, depth>(after, other)) |
                                 (same_column<C.below, depth>(own, below) & same_column<C.before, depth>(other, below));
        return pair_events(touching<C.below_after, depth>(own, other), bridged, starts);
    }
}

/// What a block-row has to do with one of those before it in its tile.
struct Partner {
    bool inside;
    int block_row;
};
template <Connectivity K>
VOXCC_HD inline Partner partner_in_tile(int block_row, Before which) {
    using Shape = TileShape<K>;
    const int y = block_row % Shape::blocks_y + step_y(which), z = block_row / Shape::blocks_y + step_z(which);
    return {y >= 0 && y < Shape::blocks_y && z >= 0, z * Shape::blocks_y + y};
}

/// @tparam Listed pairs that the list has room for
template <Connectivity K, class Source, int Listed = TileShape<K>::depth == 1 ? 1536 : 2048>
struct Local {
    using Shape = TileShape<K>;
    static constexpr int relations = Shape::relations, rows = Shape::rows;
    static constexpr int lanes = std::max(block_rows * relations, rows);
    static constexpr int pieces = rows * 4 / lanes, at_once = std::min(pieces, Source::at_once);  // of 16 columns, a lane
    static_assert(pieces % at_once == 0);
    /// As many lanes as there can be, with 32 registers each, are worth more than more registers, unless voxels on their way fill them.
    static constexpr int resident = std::min(16, 2048 / lanes) / (at_once * sizeof(typename Source::Raw) > 64 ? 2 : 1);
    static constexpr uint32_t none = ~uint32_t{0};

    struct Shared {
        union {
            uint64_t row[rows];
            uint16_t piece[rows * 4];
        };
        uint64_t columns[block_rows];           // where any row of a block-row is set
        uint32_t first_run[block_rows + 1];     // runs before a block-row
        uint32_t hook[most_runs];               // at last: by root, its first voxel in raster order of the tile
        uint16_t root[most_runs];               // by run, the first run of its root
        uint32_t pair[Listed], pairs;           // later run << 16 | earlier run
        uint32_t is_root[most_runs / 32];       // a bit a run
        uint32_t roots_before[block_rows + 1];  // roots before each 32 runs

        /// A root's number, by its first run.
        VOXCC_HD uint32_t rank(uint32_t run) const {
            return roots_before[run / 32] + uint32_t(count_bits(is_root[run / 32] & ((1u << run % 32) - 1)));
        }
    };

    TileArrays arrays;
    Source source;

    /// Foreground of a lane's pieces of 16 columns.
    VOXCC_HD void load(Shared& shared, int lane, const exec::Cell& corner) const {
        VOXCC_UNROLL
        for (int k = 0; k < pieces; k += at_once) {
            typename Source::Raw raw[at_once];
            VOXCC_UNROLL
            for (int i = 0; i < at_once; ++i) {
                const exec::Cell c = piece_at(corner, (k + i) * lanes + lane);
                raw[i] = contains(c) ? source.load(c.x, c.y, c.z) : typename Source::Raw{};
            }
            VOXCC_UNROLL
            for (int i = 0; i < at_once; ++i) {
                const exec::Cell c = piece_at(corner, (k + i) * lanes + lane);
                shared.piece[(k + i) * lanes + lane] = uint16_t(contains(c) ? source.bits_of(raw[i], c.x) : 0);
            }
        }
    }
    VOXCC_HD static exec::Cell piece_at(const exec::Cell& corner, int piece) {
        return {corner.x + uint32_t(piece % 4) * 16, corner.y + uint32_t(Shape::row_y(piece / 4)),
                corner.z + uint32_t(Shape::row_z(piece / 4))};
    }
    VOXCC_HD bool contains(const exec::Cell& c) const { return c.x < arrays.size.x && c.y < arrays.size.y && c.z < arrays.size.z; }

    /// A tile's share of the marks.
    VOXCC_HD void clear_marks(int lane, int64_t t) const {
        const int64_t first = t * arrays.stretches_a_tile, end = first + arrays.stretches_a_tile;
        for (int64_t i = first + lane; i < end && i < arrays.stretches; i += lanes) arrays.marks[i] = {};
    }

    /// The tile's outermost columns, a line at a time.
    VOXCC_HD void store_faces(const Shared& shared, int lane, const exec::Cell& place) const {
        using Lines = FaceLines<K>;
        const Lines lines{arrays.size, arrays.tiles};
        for (int i = lane; i < 2 * Lines::in_tile; i += lanes) {
            const int line = i % Lines::in_tile, y = line % Lines::in_y, z = line / Lines::in_y, column = i < Lines::in_tile ? 0 : 63;
            const uint32_t global_z = place.z * Shape::size_z + uint32_t(z);
            if (global_z >= arrays.size.z) continue;
            uint32_t bits = 0;
            for (int r = 0; r < Lines::rows; ++r) bits |= uint32_t(shared.row[Shape::row_at(y * Lines::rows + r, z)] >> column & 1) << r;
            (column == 0 ? arrays.low_face : arrays.high_face)[lines.at(place.x, global_z, place.y * Lines::in_y + uint32_t(y))] =
                uint16_t(bits);
        }
    }

    /// The pairs of a lane's block-row and one before it; none for lanes without.
    VOXCC_HD uint64_t events(const Shared& shared, int lane) const {
        const int b = lane % block_rows;
        const auto which = Before(lane / block_rows);
        if (lane >= block_rows * relations || shared.columns[b] == 0) return 0;
        const Partner partner = partner_in_tile<K>(b, which);
        if (!partner.inside || shared.columns[partner.block_row] == 0) return 0;
        const uint64_t starts = run_starts(shared.columns[b]) | run_starts(shared.columns[partner.block_row]);
        const uint64_t* const own = shared.row + b * Shape::depth;
        const int y = b % Shape::blocks_y;
        if constexpr (relations > 1)
            if (which == Before::below) return events_with<K, Before::below>(own, y, starts);
        if constexpr (relations > 2) {
            if (which == Before::below_before) return events_with<K, Before::below_before>(own, y, starts);
            if (which == Before::below_after) return events_with<K, Before::below_after>(own, y, starts);
        }
        return events_with<K, Before::before>(own, y, starts);
    }
    VOXCC_HD static RunsOfTwo runs_of(const Shared& shared, int lane) {
        const int b = lane % block_rows, p = partner_in_tile<K>(b, Before(lane / block_rows)).block_row;
        return {run_starts(shared.columns[b]), run_starts(shared.columns[p]), shared.first_run[b], shared.first_run[p]};
    }

    VOXCC_HD static void find_roots(Shared& shared, int lane) {
        const uint32_t runs = shared.first_run[block_rows];
        for (uint32_t i = uint32_t(lane); i < runs; i += lanes) {
            uint32_t r = shared.hook[i];
            for (uint32_t above; (above = shared.hook[r]) != r;) r = above;
            shared.root[i] = uint16_t(r);
        }
    }
    VOXCC_HD static void link(Shared& shared, uint32_t a, uint32_t b) { exec::fetch_min(shared.hook + (a > b ? a : b), a > b ? b : a); }

    /// First voxels: by root the minimum over the runs that can hold it, which lie in the layer of the root's first run (in its block-row
    /// where a layer has one row of voxels in z).
    VOXCC_HD static void find_first_voxels(Shared& shared, int lane) {
        constexpr int parts = lanes / block_rows, width = columns / parts;  // lanes a block-row, the columns of each
        const int b = lane / parts, part = lane % parts;
        const uint64_t all = shared.columns[b];
        uint64_t starts = run_starts(all);
        uint32_t run = shared.first_run[b] + uint32_t(count_bits(starts & columns_before(part * width)));
        if constexpr (parts > 1) starts &= columns_before(width) << part * width;
        const uint32_t oldest = shared.first_run[Shape::rows_z > 1 ? b / Shape::blocks_y * Shape::blocks_y : b];
        for (; starts; starts &= starts - 1, ++run) {
            const uint32_t root = shared.root[run];
            if (Shape::depth == 1 ? root != run : root < oldest) continue;
            const uint64_t low = starts & (0 - starts), stretch = all & ~(all + low);
            int r = b * Shape::depth;
            while ((shared.row[r] & stretch) == 0) ++r;
            const int y = Shape::row_y(r), z = Shape::row_z(r);
            exec::fetch_min(shared.hook + shared.rank(root),
                            uint32_t((z * Shape::size_y + y) * columns + lowest_bit(shared.row[r] & stretch)));
        }
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        Shared& shared = tile.shared;
        const exec::Cell place = arrays.place(uint32_t(t));
        const exec::Cell corner{place.x * columns, place.y * Shape::size_y, place.z * Shape::size_z};
        tile.each([&](int lane) {
            load(shared, lane, corner);
            clear_marks(lane, t);
        });
        tile.scan64(shared.first_run, [&](int b) {
            shared.columns[b] = joined_rows<Shape::depth>(shared.row + b * Shape::depth);
            return uint32_t(count_bits(run_starts(shared.columns[b])));
        });
        const uint32_t runs = shared.first_run[block_rows];
        tile.each([&](int lane) {
            for (int r = lane; r < rows; r += lanes) arrays.rows[t * rows + r] = shared.row[r];
            store_faces(shared, lane, place);
            for (uint32_t i = uint32_t(lane); i < runs; i += lanes) shared.hook[i] = i;
            for (int i = lane; i < most_runs / 32; i += lanes) shared.is_root[i] = 0;
            if (lane == 0) shared.pairs = 0;
            if (lane < block_rows && runs > 0) arrays.first_run[t * block_rows + lane] = uint16_t(shared.first_run[lane]);
            if (lane == 0 && runs == 0) arrays.counts[t] = {0};
        });
        if (runs == 0) return;

        typename Tile::template PerLane<uint64_t> event;
        typename Tile::template PerLane<uint32_t> at, kept;
        tile.each([&](int lane) {
            event[lane] = events(shared, lane);
            at[lane] = 0;
            if (event[lane] == 0) return;
            const uint32_t first = at[lane] = exec::fetch_add(&shared.pairs, uint32_t(count_bits(event[lane])));
            for_each_pair(event[lane], runs_of(shared, lane), [&](uint32_t i, uint32_t a, uint32_t b) {
                exec::fetch_min(shared.hook + a, b);
                if (first + i < Listed) shared.pair[first + i] = a << 16 | b;
            });
        });
        const uint32_t pairs = shared.pairs, listed = pairs < Listed ? pairs : Listed;
        tile.each([&](int lane) {
            kept[lane] = (listed + lanes - 1 - uint32_t(lane)) / lanes;
            find_roots(shared, lane);
        });
        for (;;) {
            tile.each([&](int lane) {
                for (uint32_t i = uint32_t(lane); i < runs; i += lanes) shared.hook[i] = shared.root[i];
            });
            const bool apart = tile.any([&](int lane) {
                uint32_t n = 0;
                bool linked = false;
                for (uint32_t k = 0; k < kept[lane]; ++k) {
                    const uint32_t pair = shared.pair[k * lanes + uint32_t(lane)];
                    const uint32_t a = shared.root[pair >> 16], b = shared.root[pair & 0xffff];
                    if (a == b) continue;
                    link(shared, a, b);
                    shared.pair[n++ * lanes + uint32_t(lane)] = a << 16 | b;
                }
                kept[lane] = n;
                if (pairs > Listed && event[lane] != 0)
                    for_each_pair(event[lane], runs_of(shared, lane), [&](uint32_t i, uint32_t x, uint32_t y) {
                        if (at[lane] + i < Listed || shared.root[x] == shared.root[y]) return;
                        link(shared, shared.root[x], shared.root[y]);
                        linked = true;
                    });
                return n > 0 || linked;
            });
            if (!apart) break;
            tile.each([&](int lane) { find_roots(shared, lane); });
        }

        tile.each([&](int lane) {
            for (uint32_t i = uint32_t(lane); i < runs; i += lanes) {
                if (shared.root[i] == i) exec::fetch_or(shared.is_root + i / 32, 1u << i % 32);
                shared.hook[i] = none;
            }
        });
        tile.scan64(shared.roots_before, [&](int w) { return uint32_t(count_bits(shared.is_root[w])); });
        const uint32_t roots = shared.roots_before[block_rows];
        tile.each([&](int lane) {
            for (uint32_t i = uint32_t(lane); i < runs; i += lanes)
                arrays.root_of_run[t * most_runs + i] = uint16_t(shared.rank(shared.root[i]));
            find_first_voxels(shared, lane);
        });
        tile.each([&](int lane) {
            for (uint32_t k = uint32_t(lane); k < roots; k += lanes) {
                const uint32_t id = uint32_t(t) * most_runs + k, voxel = shared.hook[k];
                const uint32_t x = voxel % columns, y = voxel / columns % Shape::size_y, z = voxel / columns / Shape::size_y;
                arrays.parent[id] = id;
                arrays.first[id] = ((corner.z + z) * arrays.size.y + corner.y + y) * arrays.size.x + corner.x + x;
                if (k % 32 == 0) arrays.joined[id / 32] = 0;
            }
            if (lane == 0) arrays.counts[t] = {runs | roots << 16};
        });
    }
};

}  // namespace voxcc::block_runs::tiles
