// Union-find over the runs of one tile, in shared memory. Every phase "local" uses it, once runs and their contacts are known.
//
// It works in rounds of steps. Within a step each word is either only read or only written, or changed by atomic minima:
//   hook[a] = the first run that a touches                                   while the pairs of touching runs are listed
//   root[i] = the end of the chain of hooks from i
//   each listed pair with different roots: hook of the later root = minimum of it and the earlier root
//   root[i] = the end of the chain of hooks from root[i]; repeat until no such pair remains
// Each lane removes pairs with equal roots from its part of the list. Pairs without room in the list are found again in every round.
// The list lies behind the hooks: a tile with few runs has room for more pairs. At the end, the marks of the tile replace the list.
#pragma once
#include "kernels3d/block_runs/tiles/bits.h"
#include "kernels3d/block_runs/tiles/shape.h"
#include "kernels3d/exec/atomic.h"

namespace voxcc::block_runs::tiles {

/// Stores a root of a tile. It is a root of the forest until phase "join" links it.
/// @param first mark of the first voxel of the root
VOXCC_HD inline void store_root(const TileArrays& arrays, uint32_t id, uint32_t first) {
    arrays.roots[id] = Root{id, first}.word();
    if (id % 32 == 0) arrays.joined[id / 32] = 0;
}

/// The forest of a tile; base class of the shared memory of a phase.
/// @tparam Listed limit for the number of pairs in the list
template <class Shape, int Listed>
struct LocalForest {
    static constexpr uint32_t none = ~uint32_t{0};
    /// Room for pairs in a tile with the largest number of runs. Such a tile has few pairs. With less room for each tile, a GPU processes
    /// more tiles at the same time.
    static constexpr int most_pairs_of_full_tile = Shape::by_value          ? 2048
                                                   : !Shape::crosses_slices ? 128 * Shape::depth
                                                   : Shape::depth == 1      ? 512
                                                                            : 1024;
    static constexpr int words = Shape::most_runs + most_pairs_of_full_tile;
    static constexpr uint32_t words_of_bits = Shape::most_runs / 32, words_per_sum = words_of_bits / 64;
    static_assert(words_per_sum == 1 || words_per_sum == 2);

    uint32_t first_run[block_rows + 1];  // number of runs before each block-row
    uint32_t hook[words];                // at the end, by root: first voxel in raster order of the tile; then list()
    uint16_t root[Shape::most_runs];     // by run, the first run of its root
    uint32_t pairs;                      // the number of pairs found
    uint32_t is_root[words_of_bits];     // one bit per run
    uint32_t roots_before[65];           // number of roots before each words_per_sum words of is_root

    /// The list of pairs: later run << 16 | earlier run.
    VOXCC_HD uint32_t* list() { return hook + first_run[block_rows]; }
    /// The number of pairs for which the list has room.
    VOXCC_HD uint32_t room() const {
        const uint32_t unused = words - first_run[block_rows];
        return unused < Listed ? unused : Listed;
    }
    /// The number of roots before a run. For the first run of a root, this is the number of the root.
    VOXCC_HD uint32_t rank(uint32_t run) const {
        const uint32_t word = run / 32;
        uint32_t before = roots_before[word / words_per_sum] + uint32_t(count_bits(is_root[word] & ((1u << run % 32) - 1)));
        if (words_per_sum == 2 && word % 2 == 1) before += uint32_t(count_bits(is_root[word - 1]));
        return before;
    }
    /// The number of roots in words_per_sum words of is_root.
    VOXCC_HD uint32_t roots_in(int sum) const {
        uint32_t roots = 0;
        VOXCC_UNROLL
        for (uint32_t w = 0; w < words_per_sum; ++w) roots += uint32_t(count_bits(is_root[uint32_t(sum) * words_per_sum + w]));
        return roots;
    }

    /// Part of a lane in a step before unite_in_tile().
    /// @param runs at least the number of runs
    VOXCC_HD void begin(uint32_t runs, int lane, int lanes) {
        VOXCC_UNROLL
        for (uint32_t i = uint32_t(lane); i < runs; i += uint32_t(lanes)) hook[i] = i;
        for (uint32_t i = uint32_t(lane); i < words_of_bits; i += uint32_t(lanes)) is_root[i] = 0;
        if (lane == 0) pairs = 0;
    }

    /// Part of a lane: finds the root of each run.
    /// @param start(i) a run to which the chain of hooks from run i leads
    template <class Start>
    VOXCC_HD void find_roots(int lane, int lanes, const Start& start) {
        const uint32_t runs = first_run[block_rows];
        for (uint32_t i = uint32_t(lane); i < runs; i += uint32_t(lanes)) {
            uint32_t r = start(i), above;
            do {  // two steps at a time: on a GPU, the loop takes as many instructions as a step
                above = hook[r];
                r = hook[above];
            } while (r != above);
            root[i] = uint16_t(r);
        }
    }
    /// Links two roots.
    VOXCC_HD void link(uint32_t a, uint32_t b) { exec::fetch_min(hook + (a > b ? a : b), a > b ? b : a); }
};

VOXCC_HD inline void set_mark(const TileArrays& arrays, uint32_t mark) { exec::fetch_or(arrays.marks->words + mark / 32, 1u << mark % 32); }
/// The first mark of a row of a tile.
/// @param row z * size_y + y, relative to the tile
/// @param corner first voxel of the tile
template <class Shape>
VOXCC_HD inline uint32_t first_mark_of_row(const TileArrays& arrays, const exec::Cell& corner, uint32_t row) {
    return arrays.row_at({corner.x, corner.y + row % Shape::size_y, corner.z + row / Shape::size_y}) * Shape::marks_per_row;
}

/// A tile sets the marks of few roots one by one. Otherwise it stores them row by row: many atomic operations would take longer.
inline constexpr uint32_t few_roots = 32;

/// Unites the runs of a tile. Stores first_run, root_of_run, the roots with the marks of their first voxels, and the counts of the tile.
/// Sets the marks, unless arrays.marks is null.
/// @param phase Phase::Shared must derive from LocalForest. events(shared, lane) returns the pairs of a lane, which have a count().
///     for_each_pair_of(shared, lane, events, use) calls use(i, later run, earlier run) for pairs i = 0, 1, .. find_first_voxels(shared,
///     lane) does the part of a lane in this step: hook[rank(root)] becomes the first voxel of the root. If Shape::depth is more than 1,
///     it is `none` at first
/// @param corner first voxel of the tile
template <class Shape, class Tile, class Phase>
VOXCC_HD inline void unite_in_tile(Tile& tile, const Phase& phase, int64_t t, const exec::Cell& corner) {
    constexpr int lanes = Tile::lanes;
    auto& shared = tile.shared;
    const TileArrays& arrays = phase.arrays;
    const uint32_t runs = shared.first_run[block_rows];
    if (runs == 0) {
        tile.each([&](int lane) {
            if (lane < block_rows) arrays.first_run[t * block_rows + lane] = 0;
            if (lane == 0) arrays.counts[t] = {0};
        });
        return;
    }

    uint32_t* const list = shared.list();
    const uint32_t room = shared.room();
    typename Tile::template PerLane<typename Phase::Events> events;
    typename Tile::template PerLane<uint32_t> at, kept;
    tile.each([&](int lane) {
        if (lane < block_rows) arrays.first_run[t * block_rows + lane] = uint16_t(shared.first_run[lane]);
        events[lane] = phase.events(shared, lane);
        at[lane] = 0;
        const uint32_t count = events[lane].count();
        if (count == 0) return;
        const uint32_t first = at[lane] = exec::fetch_add(&shared.pairs, count);
        phase.for_each_pair_of(shared, lane, events[lane], [&](uint32_t i, uint32_t a, uint32_t b) {
            exec::fetch_min(shared.hook + a, b);
            if (first + i < room) list[first + i] = a << 16 | b;
        });
    });
    const uint32_t pairs = shared.pairs, listed = pairs < room ? pairs : room;
    tile.each([&](int lane) {
        kept[lane] = (listed + lanes - 1 - uint32_t(lane)) / lanes;
        shared.find_roots(lane, lanes, [&](uint32_t i) { return shared.hook[i]; });
    });
    for (;;) {
        const bool apart = tile.any([&](int lane) {
            uint32_t n = 0;
            bool linked = false;
            for (uint32_t k = 0; k < kept[lane]; ++k) {
                const uint32_t pair = list[k * lanes + uint32_t(lane)];
                const uint32_t a = shared.root[pair >> 16], b = shared.root[pair & 0xffff];
                if (a == b) continue;
                shared.link(a, b);
                list[n++ * lanes + uint32_t(lane)] = a << 16 | b;
            }
            kept[lane] = n;
            if (pairs > room && events[lane].count() != 0)
                phase.for_each_pair_of(shared, lane, events[lane], [&](uint32_t i, uint32_t x, uint32_t y) {
                    if (at[lane] + i < room || shared.root[x] == shared.root[y]) return;
                    shared.link(shared.root[x], shared.root[y]);
                    linked = true;
                });
            return n > 0 || linked;
        });
        if (!apart) break;
        tile.each([&](int lane) { shared.find_roots(lane, lanes, [&](uint32_t i) { return shared.root[i]; }); });
    }

    using Forest = typename Phase::Shared;
    tile.test(runs, shared.is_root, [&](uint32_t i) { return shared.root[i] == i; });
    constexpr int words_of_marks = Shape::rows * int(Shape::words_of_marks);
    static_assert(words_of_marks <= Forest::most_pairs_of_full_tile);
    uint32_t* const marks = list;  // of the rows of the tile, in raster order; the list is not needed any more
    tile.scan64(
        shared.roots_before, [&](int sum) { return shared.roots_in(sum); },
        [&](int lane) {
            for (int i = lane; i < words_of_marks; i += lanes) marks[i] = 0;
            if constexpr (Shape::depth > 1)
                for (uint32_t i = uint32_t(lane); i < runs; i += lanes) shared.hook[i] = Forest::none;
        });
    const uint32_t roots = shared.roots_before[64];
    tile.each([&](int lane) {
        for (uint32_t i = uint32_t(lane); i < runs; i += lanes)
            arrays.root_of_run[t * Shape::most_runs + i] = uint16_t(shared.rank(shared.root[i]));
        phase.find_first_voxels(shared, lane);
    });
    const bool sets_one_by_one = arrays.marks && roots <= few_roots, stores_rows = arrays.marks && roots > few_roots;
    tile.each([&](int lane) {
        for (uint32_t k = uint32_t(lane); k < roots; k += lanes) {
            const uint32_t voxel = shared.hook[k], row = voxel / columns, in_row = voxel % columns * Shape::marks_per_row / columns;
            const uint32_t mark = first_mark_of_row<Shape>(arrays, corner, row) + in_row, in_tile = row * Shape::marks_per_row + in_row;
            store_root(arrays, uint32_t(t) * Shape::most_runs + k, mark);
            if (sets_one_by_one) set_mark(arrays, mark);
            if (stores_rows) exec::fetch_or(marks + in_tile / 32, 1u << in_tile % 32);
        }
        if (lane == 0) arrays.counts[t] = {runs | roots << 16};
    });
    if (!stores_rows) return;
    tile.each([&](int lane) {
        for (uint32_t i = uint32_t(lane); i < words_of_marks; i += lanes) {
            const uint32_t row = i / Shape::words_of_marks, word = i % Shape::words_of_marks;
            if (marks[i] != 0) arrays.marks->words[first_mark_of_row<Shape>(arrays, corner, row) / 32 + word] = marks[i];
        }
    });
}

}  // namespace voxcc::block_runs::tiles
