// Phase "number": numbers the components 1..K by their first voxel in raster order.
//
// Every component has one mark, at its first voxel.
//
//   sum       the number of marks before each stretch of 256 marks
//   name      the number of each root of a tile: 1 + the number of marks before the mark of its component
//
// Phase "local" marks the first voxel of each root of a tile (local_forest.h), and phase "join" clears the mark of each root that it
// links. For a few tiles, one block runs all steps and sets the marks itself: starting a kernel takes a GPU longer than one step of such a
// volume. Each tile has Shape::root_lanes lanes. Each lane handles every root_lanes-th root, two at a time: a GPU then loads their
// words at the same time.
#pragma once
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/join.h"

namespace voxcc::block_runs::tiles {

/// Some entries of a tile: the ids first + j * step for j = 0 .. n - 1 that are less than `end`. The last entries may lie behind the roots.
struct SomeRoots {
    uint32_t first, step, last, end;  // last: the id of the last root of the tile
    VOXCC_HD uint32_t id(int j) const { return first + uint32_t(j) * step; }
    VOXCC_HD bool has(int j) const { return id(j) < end; }
    /// The id of the entry if it is a root, else the id of the last root.
    VOXCC_HD uint32_t root(int j) const { return id(j) < last ? id(j) : last; }
};
/// Calls use(SomeRoots) for the roots of lane i % RootLanes of tile i / RootLanes, AtOnce roots at a time. Includes the entries behind the
/// roots that share a memory sector of 32 bytes with a root: a GPU then stores complete sectors of numbers. If it did not, it would have to
/// load the rest of a sector before the next phase could read its numbers.
template <int MostRuns, int RootLanes, int AtOnce, class Use>
VOXCC_HD inline void for_roots(const TileArrays& arrays, int64_t i, const Use& use) {
    static_assert(MostRuns % 8 == 0);  // all entries lie in the tile
    const uint32_t tile = uint32_t(i / RootLanes), base = tile * MostRuns;
    const uint32_t roots = uint32_t(arrays.counts[tile].roots()), entries = (roots + 7) / 8 * 8;
    for (uint32_t k = uint32_t(i % RootLanes); k < entries; k += RootLanes * AtOnce)
        use(SomeRoots{base + k, RootLanes, base + roots - 1, base + entries});
}

/// Marks the first voxel of each root of the forest, for a lane of a tile.
template <int MostRuns, int RootLanes>
struct Mark {
    TileArrays arrays;
    VOXCC_HD void operator()(int64_t i) const {
        for_roots<MostRuns, RootLanes, 1>(arrays, i, [this](const SomeRoots& some) {
            const Root root = Root::of(arrays.roots[some.root(0)]);
            if (root.parent == some.root(0)) set_mark(arrays, root.first);
        });
    }
};

/// Number of marks of a stretch, for the prefix sum.
struct MarksOfStretch {
    const Stretch* marks;
    VOXCC_HD uint32_t operator()(int64_t i) const {
        const Stretch stretch = marks[i];
        uint32_t sum = 0;
        VOXCC_UNROLL
        for (int w = 0; w < 8; ++w) sum += uint32_t(count_bits(stretch.words[w]));
        return sum;
    }
};

/// Phase "name", for a lane of a tile.
template <int MostRuns, int RootLanes, int AtOnce>
struct Name {
    TileArrays arrays;
    uint32_t* count_to;  // receives the number of components; null: it is not needed there
    VOXCC_HD void operator()(int64_t i) const {
        if (i == 0 && count_to) *count_to = arrays.before[arrays.stretches - 1];
        for_roots<MostRuns, RootLanes, AtOnce>(arrays, i, [this](const SomeRoots& some) {
            constexpr int n = AtOnce;
            uint32_t id[n];  // climbs to the root of the forest
            Root entry[n];
            VOXCC_UNROLL
            for (int j = 0; j < n; ++j) {
                id[j] = some.root(j);
                entry[j] = Root::of(arrays.roots[id[j]]);
            }
            for (bool climbs = true; climbs;) {
                climbs = false;
                VOXCC_UNROLL
                for (int j = 0; j < n; ++j) {
                    if (entry[j].parent == id[j]) continue;
                    climbs = true;
                    id[j] = entry[j].parent;
                    entry[j] = Root::of(arrays.roots[id[j]]);
                }
            }
            uint32_t number[n];
            VOXCC_UNROLL
            for (int j = 0; j < n; ++j) number[j] = 1 + arrays.before[entry[j].first / Stretch::marks] + marks_before(entry[j].first);
            VOXCC_UNROLL
            for (int j = 0; j < n; ++j) {
                if (!some.has(j)) continue;
                const uint32_t own = some.id(j);
                const bool alone = id[j] == own && !(arrays.joined[own / 32] >> own % 32 & 1);
                arrays.numbers[own] = number[j] | (alone ? in_one_tile : 0);
            }
        });
    }

private:
    /// The number of marks before a mark in its stretch.
    VOXCC_HD uint32_t marks_before(uint32_t mark) const {
        const Stretch stretch = arrays.marks[mark / Stretch::marks];
        const uint32_t word = mark % Stretch::marks / 32, part = (1u << mark % 32) - 1;
        uint32_t sum = 0;
        VOXCC_UNROLL
        for (uint32_t w = 0; w < 8; ++w) sum += uint32_t(count_bits(stretch.words[w] & (w < word ? ~uint32_t{0} : w == word ? part : 0)));
        return sum;
    }
};

/// Copies the number of components, for one index.
struct StoreCount {
    const uint32_t* from;
    uint32_t* to;
    VOXCC_HD void operator()(int64_t) const { *to = *from; }
};

/// Stores a number of components that the host has.
struct StoreNumber {
    uint32_t number;
    uint32_t* to;
    VOXCC_HD void operator()(int64_t) const { *to = number; }
};

/// All steps in one block. Phase functor.
template <int MostRuns>
struct NumberInOneBlock {
    static constexpr int lanes = 1024, resident = 1, most_tiles = 32, root_lanes = lanes / most_tiles, lanes_per_sum = lanes / 64;
    struct Shared {
        uint32_t marks[lanes], before[65];  // marks in the stretches of a lane; marks before the stretches of lanes_per_sum lanes
    };

    TileArrays arrays;
    uint32_t* count_to;  // see Name

    /// The first stretch of a lane.
    VOXCC_HD int64_t first_of(int lane) const { return lane * arrays.stretches / lanes; }
    /// Runs a step for all roots.
    template <class Tile, class Step>
    VOXCC_HD void for_all_roots(Tile& tile, const Step& step) const {
        const int64_t all = arrays.tiles.cells() * root_lanes;
        tile.each([&](int lane) {
            for (int64_t i = lane; i < all; i += lanes) step(i);
        });
    }
    /// Writes arrays.before.
    template <class Tile>
    VOXCC_HD void sum_marks(Tile& tile) const {
        Shared& shared = tile.shared;
        const MarksOfStretch marks{arrays.marks};
        tile.each([&](int lane) {
            uint32_t sum = 0;
            for (int64_t i = first_of(lane); i < first_of(lane + 1); ++i) sum += marks(i);
            shared.marks[lane] = sum;
        });
        tile.scan64(
            shared.before,
            [&](int i) {
                uint32_t sum = 0;
                for (int k = 0; k < lanes_per_sum; ++k) sum += shared.marks[i * lanes_per_sum + k];
                return sum;
            },
            [](int) {});
        tile.each([&](int lane) {
            uint32_t sum = shared.before[lane / lanes_per_sum];
            for (int k = lane / lanes_per_sum * lanes_per_sum; k < lane; ++k) sum += shared.marks[k];
            for (int64_t i = first_of(lane); i < first_of(lane + 1); ++i) {
                arrays.before[i] = sum;
                sum += marks(i);
            }
        });
    }
    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t) const {
        tile.each([&](int lane) {
            for (int64_t s = lane; s < arrays.stretches; s += lanes) arrays.marks[s] = {};
        });
        for_all_roots(tile, Mark<MostRuns, root_lanes>{arrays});
        sum_marks(tile);
        for_all_roots(tile, Name<MostRuns, root_lanes, 1>{arrays, count_to});
    }
};

/// How number() runs the steps. in_phases: the phases before it set and clear marks; all marks must be clear before phase "local".
enum class Numbering : std::uint8_t { in_one_block, in_phases };
/// The fastest one.
inline Numbering numbering_for(int64_t tiles) {
    return tiles <= NumberInOneBlock<1>::most_tiles ? Numbering::in_one_block : Numbering::in_phases;
}

/// Numbers the components.
/// @tparam Shape of the tiles
/// @param before the array to which arrays.before points; its last element becomes the number of components
/// @param count_to receives the number of components; null: nothing
template <class Shape, class Executor>
void number(Executor& executor, const TileArrays& arrays, exec::Array<uint32_t>& before, uint32_t* count_to, Numbering numbering) {
    constexpr int most_runs = Shape::most_runs, root_lanes = Shape::root_lanes, at_once = 2;
    using OneBlock = NumberInOneBlock<most_runs>;
    if (numbering == Numbering::in_one_block) {
        executor.template for_each_tile<OneBlock::lanes, typename OneBlock::Shared>("number", 1, OneBlock{arrays, count_to});
        return;
    }
    executor.exclusive_scan("number", before.size(), MarksOfStretch{arrays.marks}, before);
    executor.for_each("number", arrays.tiles.cells() * root_lanes, Name<most_runs, root_lanes, at_once>{arrays, count_to});
}

}  // namespace voxcc::block_runs::tiles
