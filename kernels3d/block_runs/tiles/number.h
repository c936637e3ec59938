// Phase "number": numbers the components 1..K by their first voxel in raster order.
//
//   resolve   parent[id] = the root; first[root] = the first voxel of the component
//   mark      sets one bit at the first voxel of each component; a prefix sum counts the marks before each stretch of 256 voxels
//   name      parent[id] = 1 + the number of marks before the mark of the component | in_one_tile if the component lies in one tile
// Each tile has Shape::root_lanes lanes. Each lane handles every root_lanes-th root. For a few tiles, one block runs all steps: starting a
// kernel takes a GPU longer than one step of such a volume.
#pragma once
#include "kernels3d/block_runs/tiles/join.h"

namespace voxcc::block_runs::tiles {

/// Calls use(id) for the roots of lane i % RootLanes of tile i / RootLanes.
template <int MostRuns, int RootLanes, class Use>
VOXCC_HD inline void for_each_root(const TileArrays& arrays, int64_t i, const Use& use) {
    const uint32_t tile = uint32_t(i / RootLanes);
    const uint32_t roots = uint32_t(arrays.counts[tile].roots());
    for (uint32_t k = uint32_t(i % RootLanes); k < roots; k += RootLanes) use(tile * MostRuns + k);
}

/// Phase "resolve" of the drawing above, for a lane of a tile.
template <int MostRuns, int RootLanes>
struct Resolve {
    TileArrays arrays;
    VOXCC_HD void operator()(int64_t i) const {
        for_each_root<MostRuns, RootLanes>(arrays, i, [this](uint32_t id) {
            const uint32_t root = find(arrays.parent, id);
            if (root == id) return;
            exec::store(arrays.parent + id, root);
            const uint32_t bit = 1u << root % 32;  // test it first: otherwise all lanes would wait for the root of a large component
            if (!(exec::load(arrays.joined + root / 32) & bit)) exec::fetch_or(arrays.joined + root / 32, bit);
            // The first voxel lies in the first layer of tiles that contains a part of the component; so does the root.
            const uint32_t layer = arrays.tiles.x * arrays.tiles.y;
            if (id / MostRuns / layer == root / MostRuns / layer && arrays.first[id] < exec::load(arrays.first + root))
                exec::fetch_min(arrays.first + root, arrays.first[id]);
        });
    }
};

/// Phase "mark", for a lane of a tile.
template <int MostRuns, int RootLanes>
struct Mark {
    TileArrays arrays;
    VOXCC_HD void operator()(int64_t i) const {
        for_each_root<MostRuns, RootLanes>(arrays, i, [this](uint32_t id) {
            if (arrays.parent[id] != id) return;
            const uint32_t voxel = arrays.first[id];
            exec::fetch_or(arrays.marks[voxel / Stretch::voxels].words + voxel % Stretch::voxels / 32, 1u << voxel % 32);
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
template <int MostRuns, int RootLanes>
struct Name {
    TileArrays arrays;
    uint32_t* count_to;  // receives the number of components; null: it is not needed there
    VOXCC_HD void operator()(int64_t i) const {
        if (i == 0 && count_to) *count_to = arrays.before[arrays.stretches - 1];
        for_each_root<MostRuns, RootLanes>(arrays, i, [this](uint32_t id) {
            const uint32_t root = arrays.parent[id], voxel = arrays.first[root];
            const Stretch& stretch = arrays.marks[voxel / Stretch::voxels];
            const uint32_t word = voxel % Stretch::voxels / 32;
            uint32_t number = 1 + arrays.before[voxel / Stretch::voxels];
            for (uint32_t w = 0; w < word; ++w) number += uint32_t(count_bits(stretch.words[w]));
            number += uint32_t(count_bits(stretch.words[word] & ((1u << voxel % 32) - 1)));
            const bool alone = root == id && !(arrays.joined[id / 32] >> id % 32 & 1);
            arrays.parent[id] = number | (alone ? in_one_tile : 0);
        });
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
        for_all_roots(tile, Resolve<MostRuns, root_lanes>{arrays});
        for_all_roots(tile, Mark<MostRuns, root_lanes>{arrays});
        sum_marks(tile);
        for_all_roots(tile, Name<MostRuns, root_lanes>{arrays, count_to});
    }
};

/// How number() runs the steps.
enum class Numbering : std::uint8_t { by_tiles, in_phases };  // by_tiles: in one block if there are few tiles

/// Numbers the components. arrays.marks must be clear.
/// @tparam MostRuns, RootLanes most_runs and root_lanes of the shape of the tiles
/// @param before the array to which arrays.before points; its last element becomes the number of components
/// @param count_to receives the number of components; null: nothing
template <int MostRuns, int RootLanes, class Executor>
void number(Executor& executor, const TileArrays& arrays, exec::Array<uint32_t>& before, uint32_t* count_to, Numbering numbering) {
    using OneBlock = NumberInOneBlock<MostRuns>;
    if (numbering == Numbering::by_tiles && arrays.tiles.cells() <= OneBlock::most_tiles) {
        executor.template for_each_tile<OneBlock::lanes, typename OneBlock::Shared>("number", 1, OneBlock{arrays, count_to});
        return;
    }
    const int64_t lanes = arrays.tiles.cells() * RootLanes;
    executor.for_each("number", lanes, Resolve<MostRuns, RootLanes>{arrays});
    executor.for_each("number", lanes, Mark<MostRuns, RootLanes>{arrays});
    executor.exclusive_scan("number", before.size(), MarksOfStretch{arrays.marks}, before);
    executor.for_each("number", lanes, Name<MostRuns, RootLanes>{arrays, count_to});
}

}  // namespace voxcc::block_runs::tiles
