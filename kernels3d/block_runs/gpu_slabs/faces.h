// Phase "faces": which components of two slabs touch, from the numbers in the last slice of one and in the first slice of the next.
//
// A pair of numbers is listed once for each tile of 64 x 16 columns that it is met in, or a few times where a tile meets many.
// By equal values a component has one value. Slices bring those of their voxels' components along, and only equal ones are listed.
#pragma once
#include "kernels3d/block_runs/seams.h"
#include "kernels3d/block_runs/tiles/join_around.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace voxcc::block_runs::slabs {

/// What slices of a volume have in common.
struct SlicePlane {
    exec::Grid size;    // nz is 1
    tiles::Axes wraps;  // along which slices and their neighbours wrap around; z plays no part
};

/// A slice of a slab, in the executor's memory.
struct Slice {
    const uint32_t* numbers;  // [y][x] of components, 0 is background
    const uint64_t* values;   // [y][x] of those components; null: neighbours join whatever their values
};

/// Phase of slices by equal values: out[i] is the value of component numbers[i].
struct ValuesOfNumbers {
    const uint32_t* numbers;
    const uint64_t* of;  // by number - 1
    uint64_t* out;
    VOXCC_HD void operator()(int64_t i) const { out[i] = numbers[i] == 0 ? 0 : of[numbers[i] - 1]; }
};

/// @tparam Slots places of the table in which a tile notes the pairs it has listed; fewer for tests
template <Connectivity K, int Slots = 512>
struct TouchingPairs {
    static constexpr int columns = 64, rows = 16, lanes = 256, rows_per_lane = rows / (lanes / columns), resident = 8, most_probes = 8;

    struct Shared {
        uint64_t pair[Slots];  // 0: free
    };

    SlicePlane plane;
    Slice below, above;
    TouchingPair* list;
    uint32_t room, *found;  // *found counts on where the list has no room

    /// False only for a pair that the tile has listed.
    VOXCC_HD static bool is_new(Shared& shared, uint64_t pair) {
        uint32_t slot = uint32_t(pair * 0x9e3779b97f4a7c15u >> 32) % Slots;
        for (int probe = 0; probe < most_probes; ++probe, slot = (slot + 1) % Slots) {
            const uint64_t there = exec::exchange_if(shared.pair + slot, 0, pair);
            if (there == 0) return true;
            if (there == pair) return false;
        }
        return true;
    }
    VOXCC_HD int64_t at(uint32_t x, uint32_t y) const { return int64_t(y) * plane.size.x + x; }
    /// Of what lies below `at_above` or beside that; 0 where the two do not join.
    VOXCC_HD uint32_t joining(int64_t at_below, int64_t at_above) const {
        return below.values && below.values[at_below] != above.values[at_above] ? 0 : below.numbers[at_below];
    }

    /// Down a column of voxels. Where one that joins lies right below, its component has all other such neighbours below as well, those
    /// around the ends of periodic axes, too.
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
        for (uint32_t y = first_y; y < first_y + rows_per_lane && y < plane.size.y; ++y) {
            const int64_t here = at(x, y);
            const uint32_t b = above.numbers[here];
            if (b == 0) continue;
            const uint32_t upright = joining(here, here);
            meet(upright, b);
            if (upright != 0) continue;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) {
                    if ((dx == 0 && dy == 0) || !is_neighbour(K, dx, dy, 1)) continue;
                    const uint32_t to_x = tiles::stepped(x, dx, plane.size.x, plane.wraps & 1),
                                   to_y = tiles::stepped(y, dy, plane.size.y, plane.wraps & 2);
                    if (to_x != tiles::no_voxel && to_y != tiles::no_voxel) meet(joining(at(to_x, to_y), here), b);
                }
        }
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, int64_t t) const {
        const uint32_t tiles_x = (plane.size.x + columns - 1) / columns;
        const uint32_t corner_x = uint32_t(t) % tiles_x * columns, corner_y = uint32_t(t) / tiles_x * rows;
        tile.each([&](int lane) {
            for (int s = lane; s < Slots; s += lanes) tile.shared.pair[s] = 0;
        });
        tile.each([&](int lane) {
            const uint32_t x = corner_x + uint32_t(lane % columns);
            if (x < plane.size.x) list_column(tile.shared, x, corner_y + uint32_t(lane / columns * rows_per_lane));
        });
    }
    static int64_t tiles_of(const exec::Grid& size) {
        return (int64_t(size.x) + columns - 1) / columns * ((int64_t(size.y) + rows - 1) / rows);
    }
};

/// Phase before pairs are listed. The list's first entry counts them; those behind it that are looked at in any case are none.
struct NoPairs {
    TouchingPair* list;
    VOXCC_HD void operator()(int64_t i) const { list[i] = {0, 0}; }
};

/// Lists pairs of numbers that touch between two slices. Its memory stays from one list to the next.
template <Connectivity K, class Executor, int Slots = 512>
class TouchingPairsList {
public:
    /// @param room pairs that it holds at first
    explicit TouchingPairsList(Executor& executor, uint32_t room = 1 << 16)
        : executor_(executor), list_(executor.memory(), int64_t(room) + 1), first_(executor.staging(), most_first + 1) {}

    /// Most pairs once; on the host. Waits for the executor.
    std::vector<TouchingPair> between(const SlicePlane& plane, const Slice& below, const Slice& above) {
        for (;;) {
            const auto room = uint32_t(list_.size() - 1), first = std::min(room, most_first);
            executor_.for_each("faces", first + 1, NoPairs{list_.data()});
            executor_.template for_each_tile<Phase::lanes, typename Phase::Shared>(
                "faces", Phase::tiles_of(plane.size), Phase{plane, below, above, list_.data() + 1, room, &list_.data()->below});
            executor_.receive("faces", list_, first + 1, first_.data());  // as a rule that is all, and one wait serves for everything
            executor_.wait();
            const uint32_t count = first_.data()->below;
            if (count <= first) {  // most are of one large component, once a tile
                const auto same = [](const TouchingPair& a, const TouchingPair& b) { return a.below == b.below && a.above == b.above; };
                std::vector<TouchingPair> pairs;
                std::unique_copy(first_.data() + 1, first_.data() + 1 + count, std::back_inserter(pairs), same);
                return pairs;
            }
            if (count <= room) {
                std::vector<TouchingPair> pairs(count);
                executor_.receive("faces", list_.data() + 1, count, pairs.data());
                executor_.wait();
                return pairs;
            }
            list_ = {};
            list_ = exec::Array<TouchingPair>(executor_.memory(), int64_t(count) + count / 2 + 1);  // a crowded table may let more through
        }
    }

private:
    using Phase = TouchingPairs<K, Slots>;
    static constexpr uint32_t most_first = 4095;

    Executor& executor_;
    exec::Array<TouchingPair> list_;   // how many were found, also where the list has no room for them; then they
    exec::Array<TouchingPair> first_;  // on the host
};

}  // namespace voxcc::block_runs::slabs
