// Phase "number": numbers the components 1..K by their first voxel in raster order.
//
//   resolve   parent[id] = the root; first[root] = the first voxel of the component
//   mark      sets one mark at the first voxel of each component
//   sum       the number of marks before each stretch of 256 marks
//   name      parent[id] = 1 + the number of marks before the mark of the component | in_one_tile if the component lies in one tile
// For many tiles, phase "local" sets a mark at the first voxel of each root of a tile (local_forest.h). Then "resolve" clears all marks of
// a component but the first one, and "mark" is left out. For a few tiles, one block runs all steps: starting a kernel takes a GPU longer
// than one step of such a volume. Each tile has Shape::root_lanes lanes. Each lane handles every root_lanes-th root, several at a time: a
// GPU then loads their words at the same time.
#pragma once
#include "kernels3d/block_runs/tiles/join.h"

namespace voxcc::block_runs::tiles {

/// Some roots of a tile: the ids first + j * step for j = 0 .. n - 1 that are less than `end`.
struct SomeRoots {
    uint32_t first, step, end;
    VOXCC_HD uint32_t id(int j) const { return first + uint32_t(j) * step; }
    VOXCC_HD bool has(int j) const { return id(j) < end; }
};
/// Calls use(SomeRoots) for the roots of lane i % RootLanes of tile i / RootLanes, AtOnce roots at a time.
template <int MostRuns, int RootLanes, int AtOnce, class Use>
VOXCC_HD inline void for_roots(const TileArrays& arrays, int64_t i, const Use& use) {
    const uint32_t tile = uint32_t(i / RootLanes), base = tile * MostRuns;
    const uint32_t roots = uint32_t(arrays.counts[tile].roots());
    for (uint32_t k = uint32_t(i % RootLanes); k < roots; k += RootLanes * AtOnce) use(SomeRoots{base + k, RootLanes, base + roots});
}

/// Phase "resolve" of the drawing above, for a lane of a tile.
template <int MostRuns, int RootLanes, int AtOnce>
struct Resolve {
    TileArrays arrays;
    VOXCC_HD void operator()(int64_t i) const {
        for_roots<MostRuns, RootLanes, AtOnce>(arrays, i, [this](const SomeRoots& some) {
            constexpr int n = AtOnce;
            uint32_t root[n];
            bool climbs = false;
            VOXCC_UNROLL
            for (int j = 0; j < n; ++j) {
                root[j] = some.has(j) ? exec::load(arrays.parent + some.id(j)) : some.id(j);
                climbs |= root[j] != some.id(j);
            }
            if (!climbs) return;
            while (climbs) {
                climbs = false;
                VOXCC_UNROLL
                for (int j = 0; j < n; ++j) {
                    const uint32_t above = some.has(j) ? exec::load(arrays.parent + root[j]) : root[j];
                    climbs |= above != root[j];
                    root[j] = above;
                }
            }
            uint32_t own[n];  // the marks of the ids
            VOXCC_UNROLL
            for (int j = 0; j < n; ++j) own[j] = root[j] == some.id(j) ? 0 : arrays.first[some.id(j)];
            VOXCC_UNROLL
            for (int j = 0; j < n; ++j) {
                if (root[j] == some.id(j)) continue;
                exec::store(arrays.parent + some.id(j), root[j]);
                set_joined(root[j]);
                clear_later_mark(some.id(j), root[j], own[j]);
            }
        });
    }

private:
    /// Tests the bit first: otherwise all lanes would wait for the root of a large component.
    VOXCC_HD void set_joined(uint32_t root) const {
        const uint32_t bit = 1u << root % 32;
        if (!(exec::load(arrays.joined + root / 32) & bit)) exec::fetch_or(arrays.joined + root / 32, bit);
    }
    /// Stores the mark `own` of an id at its root if it is the first mark of the component so far. Clears the later one of the two marks,
    /// unless arrays.marks is null.
    VOXCC_HD void clear_later_mark(uint32_t id, uint32_t root, uint32_t own) const {
        uint32_t later = own;
        // The first voxel lies in the first layer of tiles that contains a part of the component; so does the root.
        if (arrays.place(id / MostRuns).z == arrays.place(root / MostRuns).z && own < exec::load(arrays.first + root)) {
            const uint32_t before = exec::fetch_min(arrays.first + root, own);
            if (before > own) later = before;
        }
        if (arrays.marks) exec::fetch_and(arrays.marks->words + later / 32, ~(1u << later % 32));
    }
};

/// Phase "resolve" if phase "local" sets no marks: clears all marks, too.
template <int MostRuns, int RootLanes, int AtOnce>
struct ResolveAndClear {
    TileArrays arrays;
    VOXCC_HD void operator()(int64_t i) const {
        for (int64_t s = i; s < arrays.stretches; s += arrays.tiles.cells() * RootLanes) arrays.marks[s] = {};
        TileArrays without_marks = arrays;
        without_marks.marks = nullptr;
        Resolve<MostRuns, RootLanes, AtOnce>{without_marks}(i);
    }
};

/// Phase "mark", for a lane of a tile.
template <int MostRuns, int RootLanes, int AtOnce>
struct Mark {
    TileArrays arrays;
    VOXCC_HD void operator()(int64_t i) const {
        for_roots<MostRuns, RootLanes, AtOnce>(arrays, i, [this](const SomeRoots& some) {
            for (int j = 0; j < AtOnce && some.has(j); ++j) {
                if (arrays.parent[some.id(j)] != some.id(j)) continue;
                set_mark(arrays, arrays.first[some.id(j)]);
            }
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
            uint32_t root[n], mark[n], number[n];
            VOXCC_UNROLL
            for (int j = 0; j < n; ++j) root[j] = arrays.parent[some.has(j) ? some.id(j) : some.first];
            VOXCC_UNROLL
            for (int j = 0; j < n; ++j) mark[j] = arrays.first[root[j]];
            VOXCC_UNROLL
            for (int j = 0; j < n; ++j) number[j] = 1 + arrays.before[mark[j] / Stretch::marks] + marks_before(mark[j]);
            VOXCC_UNROLL
            for (int j = 0; j < n; ++j) {
                const uint32_t id = some.id(j);
                if (!some.has(j)) continue;
                const bool alone = root[j] == id && !(arrays.joined[id / 32] >> id % 32 & 1);
                arrays.parent[id] = number[j] | (alone ? in_one_tile : 0);
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
        for_all_roots(tile, ResolveAndClear<MostRuns, root_lanes, 1>{arrays});
        for_all_roots(tile, Mark<MostRuns, root_lanes, 1>{arrays});
        sum_marks(tile);
        for_all_roots(tile, Name<MostRuns, root_lanes, 1>{arrays, count_to});
    }
};

/// How number() runs the steps. marks_of_local: phase "local" sets marks; they must be clear before it.
enum class Numbering : std::uint8_t { in_one_block, in_phases, marks_of_local };
/// The fastest one.
inline Numbering numbering_for(int64_t tiles) {
    constexpr int64_t many = 4096;
    return tiles <= NumberInOneBlock<1>::most_tiles ? Numbering::in_one_block
           : tiles <= many                          ? Numbering::in_phases
                                                    : Numbering::marks_of_local;
}

/// Numbers the components.
/// @tparam Shape of the tiles
/// @param before the array to which arrays.before points; its last element becomes the number of components
/// @param count_to receives the number of components; null: nothing
template <class Shape, class Executor>
void number(Executor& executor, const TileArrays& arrays, exec::Array<uint32_t>& before, uint32_t* count_to, Numbering numbering) {
    constexpr int most_runs = Shape::most_runs, root_lanes = Shape::root_lanes, at_once = 4;
    using OneBlock = NumberInOneBlock<most_runs>;
    if (numbering == Numbering::in_one_block) {
        executor.template for_each_tile<OneBlock::lanes, typename OneBlock::Shared>("number", 1, OneBlock{arrays, count_to});
        return;
    }
    const int64_t lanes = arrays.tiles.cells() * root_lanes;
    if (numbering == Numbering::marks_of_local) {
        executor.for_each("number", lanes, Resolve<most_runs, root_lanes, at_once>{arrays});
    } else {
        executor.for_each("number", lanes, ResolveAndClear<most_runs, root_lanes, at_once>{arrays});
        executor.for_each("number", lanes, Mark<most_runs, root_lanes, at_once>{arrays});
    }
    executor.exclusive_scan("number", before.size(), MarksOfStretch{arrays.marks}, before);
    executor.for_each("number", lanes, Name<most_runs, root_lanes, at_once>{arrays, count_to});
}

}  // namespace voxcc::block_runs::tiles
