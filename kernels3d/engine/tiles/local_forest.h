// Union-find over the runs of one tile, in shared memory. Every phase "local" uses it, once runs and their contacts are known.
//
// It works in rounds of steps. Within a step each word is either only read or only written, or changed by atomic minima:
//   hook[a] = the first run that a touches                                   while the pairs of touching runs are listed
//   root[i] = the end of the chain of hooks from i
//   each listed pair with different roots: hook of the later root = minimum of it and the earlier root
//   root[i] = the end of the chain of hooks from root[i]; repeat until no such pair remains
// Each lane removes pairs with equal roots from its part of the list. Pairs without room in the list are found again in every round.
// The list lies behind the hooks: a tile with few runs has room for more pairs. When all pairs are united, the memory is used again: the
// first voxels of the roots replace the hooks, and the marks of the tile replace the list.
#pragma once
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/bits.h"
#include "kernels3d/engine/tiles/shape.h"
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
    static constexpr int words_of_marks = Shape::rows * int(Shape::words_of_marks);
    static_assert(words_of_marks <= most_pairs_of_full_tile);

    uint32_t first_run[block_rows + 1];  // number of runs before each block-row
    uint32_t hook[words];                // by run; behind them is list()
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
    /// By number of the root: its first voxel in raster order of the tile. Replaces the hooks after link_roots().
    VOXCC_HD uint32_t* first_voxel() { return hook; }
    /// The marks of the rows of the tile, in raster order. Replace the list after link_roots().
    VOXCC_HD uint32_t* marks() { return list(); }
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

/// The pairs of runs of a tile that touch.
template <class Tile, class Phase>
struct PairsOfTile {
    uint32_t* list;
    uint32_t room;                                                   // the number of pairs for which the list has room
    typename Tile::template PerLane<typename Phase::Events> events;  // the pairs of each lane
    typename Tile::template PerLane<uint32_t> first;                 // index of the first pair of each lane; the list has those below room
};

/// Lists the pairs, and hooks each run to the first run that it touches. Stores first_run in the same step.
template <class Tile, class Phase>
VOXCC_HD inline void list_pairs(Tile& tile, const Phase& phase, int64_t t, PairsOfTile<Tile, Phase>& pairs) {
    auto& shared = tile.shared;
    pairs.list = shared.list();
    pairs.room = shared.room();
    tile.each([&](int lane) {
        if (lane < block_rows) phase.arrays.first_run[t * block_rows + lane] = uint16_t(shared.first_run[lane]);
        pairs.events[lane] = phase.events(shared, lane);
        pairs.first[lane] = 0;
        const uint32_t count = pairs.events[lane].count();
        if (count == 0) return;
        const uint32_t first = pairs.first[lane] = exec::fetch_add(&shared.pairs, count);
        phase.for_each_pair_of(shared, lane, pairs.events[lane], [&](uint32_t i, uint32_t a, uint32_t b) {
            exec::fetch_min(shared.hook + a, b);
            if (first + i < pairs.room) pairs.list[first + i] = a << 16 | b;
        });
    });
}

/// Part of a lane: links the roots of its pairs in the list, and removes pairs with equal roots.
/// @param list the list from the first pair of the lane on; the next pairs of the lane are `lanes` pairs apart
/// @param kept number of pairs of the lane; becomes the number of pairs that it has linked
template <class Shared>
VOXCC_HD inline void link_listed(Shared& shared, uint32_t* list, int lanes, uint32_t& kept) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < kept; ++k) {
        const uint32_t pair = list[k * lanes];
        const uint32_t a = shared.root[pair >> 16], b = shared.root[pair & 0xffff];
        if (a == b) continue;
        shared.link(a, b);
        list[n++ * lanes] = a << 16 | b;
    }
    kept = n;
}
/// Part of a lane: links the roots of its pairs without room in the list. Sets `linked` if any of them had different roots.
template <class Shared, class Phase, class Tile>
VOXCC_HD inline void link_unlisted(Shared& shared, const Phase& phase, PairsOfTile<Tile, Phase>& pairs, int lane, bool& linked) {
    phase.for_each_pair_of(shared, lane, pairs.events[lane], [&](uint32_t i, uint32_t a, uint32_t b) {
        if (pairs.first[lane] + i < pairs.room || shared.root[a] == shared.root[b]) return;
        shared.link(shared.root[a], shared.root[b]);
        linked = true;
    });
}

/// Finds the root of each run: links roots in rounds, until the runs of each pair have the same root.
template <class Tile, class Phase>
VOXCC_HD inline void link_roots(Tile& tile, const Phase& phase, PairsOfTile<Tile, Phase>& pairs) {
    constexpr int lanes = Tile::lanes;
    auto& shared = tile.shared;
    const uint32_t found = shared.pairs, listed = found < pairs.room ? found : pairs.room;
    typename Tile::template PerLane<uint32_t> kept;  // the number of pairs that each lane has in the list
    tile.each([&](int lane) {
        kept[lane] = (listed + lanes - 1 - uint32_t(lane)) / lanes;
        shared.find_roots(lane, lanes, [&](uint32_t i) { return shared.hook[i]; });
    });
    while (tile.any([&](int lane) {
        link_listed(shared, pairs.list + lane, lanes, kept[lane]);
        bool linked = false;
        if (found > pairs.room && pairs.events[lane].count() != 0) link_unlisted(shared, phase, pairs, lane, linked);
        return kept[lane] > 0 || linked;
    }))
        tile.each([&](int lane) { shared.find_roots(lane, lanes, [&](uint32_t i) { return shared.root[i]; }); });
}

/// Numbers the roots in ascending order, for LocalForest::rank(). Initialises the first voxels and the marks in the same step.
/// @param marks LocalForest::marks(), here and below
/// @return the number of roots
template <class Shape, class Tile>
VOXCC_HD inline uint32_t rank_roots(Tile& tile, uint32_t runs, uint32_t* marks) {
    constexpr int lanes = Tile::lanes;
    auto& shared = tile.shared;
    tile.test(runs, shared.is_root, [&](uint32_t i) { return shared.root[i] == i; });
    tile.scan64(
        shared.roots_before, [&](int sum) { return shared.roots_in(sum); },
        [&](int lane) {
            for (int i = lane; i < shared.words_of_marks; i += lanes) marks[i] = 0;
            if constexpr (Shape::depth > 1)
                for (uint32_t i = uint32_t(lane); i < runs; i += lanes) shared.first_voxel()[i] = shared.none;
        });
    return shared.roots_before[64];
}

/// Stores root_of_run, and finds the first voxel of each root.
template <class Shape, class Tile, class Phase>
VOXCC_HD inline void store_runs(Tile& tile, const Phase& phase, int64_t t, uint32_t runs) {
    auto& shared = tile.shared;
    tile.each([&](int lane) {
        for (uint32_t i = uint32_t(lane); i < runs; i += Tile::lanes)
            phase.arrays.root_of_run[t * Shape::most_runs + i] = uint16_t(shared.rank(shared.root[i]));
        phase.find_first_voxels(shared, lane);
    });
}

/// How the marks of the roots of a tile are set: few roots one by one in device memory. Many roots in shared memory, then row by row,
/// because many atomic operations would take longer. Neither: arrays.marks is null.
struct WayToSetMarks {
    bool one_by_one, by_rows;
};
VOXCC_HD inline WayToSetMarks way_to_set_marks(const TileArrays& arrays, uint32_t roots) {
    constexpr uint32_t few_roots = 32;
    return {arrays.marks && roots <= few_roots, arrays.marks && roots > few_roots};
}

/// Stores the roots and the counts of the tile, and sets the mark of each root.
template <class Shape, class Tile>
VOXCC_HD inline void store_roots(Tile& tile, const TileArrays& arrays, int64_t t, const exec::Cell& corner, uint32_t runs, uint32_t roots,
                                 WayToSetMarks way, uint32_t* marks) {
    auto& shared = tile.shared;
    tile.each([&](int lane) {
        for (uint32_t k = uint32_t(lane); k < roots; k += Tile::lanes) {
            const uint32_t voxel = shared.first_voxel()[k], row = voxel / columns;
            const uint32_t in_row = voxel % columns * Shape::marks_per_row / columns, in_tile = row * Shape::marks_per_row + in_row;
            const uint32_t mark = first_mark_of_row<Shape>(arrays, corner, row) + in_row;
            store_root(arrays, uint32_t(t) * Shape::most_runs + k, mark);
            if (way.one_by_one) set_mark(arrays, mark);
            if (way.by_rows) exec::fetch_or(marks + in_tile / 32, 1u << in_tile % 32);
        }
        if (lane == 0) arrays.counts[t] = {runs | roots << 16};
    });
}

/// Stores the marks of the rows of the tile.
template <class Shape, class Tile>
VOXCC_HD inline void store_marks(Tile& tile, const TileArrays& arrays, const exec::Cell& corner, const uint32_t* marks) {
    tile.each([&](int lane) {
        for (uint32_t i = uint32_t(lane); i < tile.shared.words_of_marks; i += Tile::lanes) {
            const uint32_t row = i / Shape::words_of_marks, word = i % Shape::words_of_marks;
            if (marks[i] != 0) arrays.marks->words[first_mark_of_row<Shape>(arrays, corner, row) / 32 + word] = marks[i];
        }
    });
}

/// Stores a tile without foreground.
template <class Tile>
VOXCC_HD inline void store_empty(Tile& tile, const TileArrays& arrays, int64_t t) {
    tile.each([&](int lane) {
        if (lane < block_rows) arrays.first_run[t * block_rows + lane] = 0;
        if (lane == 0) arrays.counts[t] = {0};
    });
}

/// Unites the runs of a tile. Stores first_run, root_of_run, the roots with the marks of their first voxels, and the counts of the tile.
/// Sets the marks, unless arrays.marks is null.
/// @param phase Phase::Shared must derive from LocalForest. events(shared, lane) returns the pairs of a lane, which have a count().
///     for_each_pair_of(shared, lane, events, use) calls use(i, later run, earlier run) for pairs i = 0, 1, .. find_first_voxels(shared,
///     lane) does the part of a lane in this step: first_voxel()[rank(root)] becomes the first voxel of the root. If Shape::depth is more
///     than 1, it is `none` at first
/// @param corner first voxel of the tile
template <class Shape, class Tile, class Phase>
VOXCC_HD inline void unite_in_tile(Tile& tile, const Phase& phase, int64_t t, const exec::Cell& corner) {
    const TileArrays& arrays = phase.arrays;
    const uint32_t runs = tile.shared.first_run[block_rows];
    if (runs == 0) return store_empty(tile, arrays, t);

    uint32_t* const marks = tile.shared.marks();
    PairsOfTile<Tile, Phase> pairs;
    list_pairs(tile, phase, t, pairs);
    link_roots(tile, phase, pairs);
    const uint32_t roots = rank_roots<Shape>(tile, runs, marks);
    store_runs<Shape>(tile, phase, t, runs);
    const WayToSetMarks way = way_to_set_marks(arrays, roots);
    store_roots<Shape>(tile, arrays, t, corner, runs, roots, way, marks);
    if (way.by_rows) store_marks<Shape>(tile, arrays, corner, marks);
}

}  // namespace voxcc::block_runs::tiles
