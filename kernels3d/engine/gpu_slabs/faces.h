// Phase "faces": finds the components of two slabs that touch. It reads the numbers in the last slice of one slab and in the first slice
// of the next.
//
// A tile of 64 x 16 columns usually lists a pair of numbers once. It may list a pair again if it contains many pairs. For rules that
// compare values, slices also hold values, and only pairs with connected values are listed. For Rule::equal_values each component has one
// value. For Rule::gradient the values are the values of the voxels.
#pragma once
#include "kernels3d/engine/seams.h"
#include "kernels3d/engine/tiles/values.h"
#include "kernels3d/exec/atomic.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace voxcc::block_runs::gpu_slabs {

/// A slice of a slab, in the memory of the executor.
struct Slice {
    const uint32_t* numbers;  // [y][x] numbers of components, 0 is background
    const uint64_t* values;   // [y][x] values of these components or of the voxels; null: values are not compared
};

/// Phase: out[i] becomes the value of component numbers[i], or 0 for background.
struct ValuesOfNumbers {
    const uint32_t* numbers;
    const uint64_t* of;  // by number - 1
    uint64_t* out;
    VOXCC_HD void operator()(int64_t i) const { out[i] = numbers[i] == 0 ? 0 : of[numbers[i] - 1]; }
};

/// Phase: out[i] becomes the value of voxel i, for NearWords::for_wide().
template <class Value>
struct WideValues {
    const Value* values;
    tiles::NearWords<Value> joins;
    uint64_t* out;
    VOXCC_HD void operator()(int64_t i) const { out[i] = joins.wide(values[i]); }
};

/// Phase: lists the pairs of numbers that touch between two slices.
/// @tparam Joins the rule that connects values: EqualWords or NearWords
/// @tparam Slots size of the hash table of listed pairs per tile; tests use fewer
template <Connectivity K, class Joins, int Slots>
struct TouchingPairs {
    static constexpr int columns = 64, rows = 16, lanes = 256, rows_per_lane = rows / (lanes / columns), resident = 8, most_probes = 8;

    struct Shared {
        uint64_t pair[Slots];  // 0: free
    };

    exec::Grid plane;  // the size of a slice; nz is 1
    Joins joins;
    Slice below, above;
    seams::TouchingPair* list;  // receives the first `room` pairs
    uint32_t room, *found;      // *found counts all pairs, also beyond `room`

    /// Notes a pair in the hash table. Returns false only if the tile has already listed the pair; a crowded table may return true again.
    VOXCC_HD static bool is_new(Shared& shared, uint64_t pair) {
        uint32_t slot = uint32_t(pair * 0x9e3779b97f4a7c15u >> 32) % Slots;
        for (int probe = 0; probe < most_probes; ++probe, slot = (slot + 1) % Slots) {
            const uint64_t there = exec::exchange_if(shared.pair + slot, 0, pair);
            if (there == 0) return true;
            if (there == pair) return false;
        }
        return true;
    }
    /// Index of a column of voxels.
    VOXCC_HD int64_t at(uint32_t x, uint32_t y) const { return int64_t(y) * plane.x + x; }
    /// The number of voxel at_below in the slice below, if it may join voxel at_above in the slice above; else 0.
    VOXCC_HD uint32_t joining(int64_t at_below, int64_t at_above) const {
        return below.values && !joins.connect(below.values[at_below], above.values[at_above]) ? 0 : below.numbers[at_below];
    }

    /// Lists the pairs of rows_per_lane voxels along y. If the rule is transitive and the voxel directly below joins, its component
    /// contains all other voxels below that join. So these voxels are not examined.
    VOXCC_HD void list_column(Shared& shared, uint32_t x, uint32_t first_y) const {
        uint64_t last = 0;
        const auto meet = [&](uint32_t a, uint32_t b) {
            const uint64_t pair = uint64_t(a) << 32 | b;
            if (a == 0 || pair == last) return;
            last = pair;
            if (!is_new(shared, pair)) return;
            const uint32_t place = exec::append(found);
            if (place < room) list[place] = {a, b};
        };
        for (uint32_t y = first_y; y < first_y + rows_per_lane && y < plane.y; ++y) {
            const int64_t here = at(x, y);
            const uint32_t b = above.numbers[here];
            if (b == 0) continue;
            const uint32_t upright = joining(here, here);
            meet(upright, b);
            if (Joins::transitive && upright != 0) continue;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) {
                    if ((dx == 0 && dy == 0) || !is_neighbour(K, dx, dy, 1)) continue;
                    const uint32_t to_x = x + uint32_t(dx), to_y = y + uint32_t(dy);  // -1 becomes the largest number
                    if (to_x < plane.x && to_y < plane.y) meet(joining(at(to_x, to_y), here), b);
                }
        }
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, int64_t t) const {
        const uint32_t tiles_x = (plane.x + columns - 1) / columns;
        const uint32_t corner_x = uint32_t(t) % tiles_x * columns, corner_y = uint32_t(t) / tiles_x * rows;
        tile.each([&](int lane) {
            for (int s = lane; s < Slots; s += lanes) tile.shared.pair[s] = 0;
        });
        tile.each([&](int lane) {
            const uint32_t x = corner_x + uint32_t(lane % columns);
            if (x < plane.x) list_column(tile.shared, x, corner_y + uint32_t(lane / columns * rows_per_lane));
        });
    }
    static int64_t tiles_of(const exec::Grid& size) {
        return (int64_t(size.x) + columns - 1) / columns * ((int64_t(size.y) + rows - 1) / rows);
    }
};

/// Phase: clears the first entries of a list, which are downloaded in any case. Entry 0 counts the pairs.
struct NoPairs {
    seams::TouchingPair* list;
    VOXCC_HD void operator()(int64_t i) const { list[i] = {0, 0}; }
};

/// Lists the touching pairs of two slices. Its memory is reused from one list to the next.
/// @tparam Slots see TouchingPairs
template <Connectivity K, class Executor, int Slots = 512>
class TouchingPairsList {
public:
    /// @param room number of pairs for which there is room at first; grows when needed
    explicit TouchingPairsList(Executor& executor, uint32_t room = 1 << 16)
        : executor_(executor), list_(executor.memory(), int64_t(room) + 1), first_(executor.staging(), most_first + 1) {}

    /// The touching pairs, in host memory. Most pairs occur once. Waits for the executor.
    /// @param joins see TouchingPairs
    template <class Joins = tiles::EqualWords<uint64_t>>
    std::vector<seams::TouchingPair> between(const exec::Grid& plane, const Slice& below, const Slice& above, const Joins& joins = {}) {
        using Phase = TouchingPairs<K, Joins, Slots>;
        for (;;) {
            const auto room = uint32_t(list_.size() - 1), first = std::min(room, most_first);
            executor_.for_each("faces", first + 1, NoPairs{list_.data()});
            executor_.template for_each_tile<Phase::lanes, typename Phase::Shared>(
                "faces", Phase::tiles_of(plane), Phase{plane, joins, below, above, list_.data() + 1, room, &list_.data()->below});
            executor_.receive("faces", list_, first + 1, first_.data());  // usually these are all pairs, and one wait is enough
            executor_.wait();
            const uint32_t count = first_.data()->below;
            if (count <= first) {  // most pairs belong to one large component and repeat once per tile
                const auto same = [](const seams::TouchingPair& a, const seams::TouchingPair& b) {
                    return a.below == b.below && a.above == b.above;
                };
                std::vector<seams::TouchingPair> pairs;
                std::unique_copy(first_.data() + 1, first_.data() + 1 + count, std::back_inserter(pairs), same);
                return pairs;
            }
            if (count <= room) {
                std::vector<seams::TouchingPair> pairs(count);
                executor_.receive("faces", list_.data() + 1, count, pairs.data());
                executor_.wait();
                return pairs;
            }
            list_ = {};
            list_ =
                exec::Array<seams::TouchingPair>(executor_.memory(), int64_t(count) + count / 2 + 1);  // crowded tables may list more pairs
        }
    }

private:
    static constexpr uint32_t most_first = 4095;

    Executor& executor_;
    exec::Array<seams::TouchingPair> list_;   // entry 0: number of pairs found, also those without room; then the pairs
    exec::Array<seams::TouchingPair> first_;  // in host memory
};

}  // namespace voxcc::block_runs::gpu_slabs
