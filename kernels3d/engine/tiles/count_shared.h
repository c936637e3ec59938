// Phase "shared": the numbers of voxels that the labels of two volumes share (voxcc/match.h).
//
// The place of a voxel does not matter, so the volumes are sequences of labels. Each lane reads pieces of 4 voxels of both and adds up
// stretches of voxels with the same two labels, neither of which is 0. Labels of up to 64 bits do not fit one key: the slots of two hash
// tables number them, and a pair of numbers is one key. Pairs are collected in shared memory, then in a hash table in global memory. If a
// table is too small, the phase runs again with larger ones.
//
//   A [5 5 5 0 5]  B [7 7 9 9 0]   ->   slots of A {5: 3}, of B {7: 0, 9: 2}   ->   pairs {(3, 0): 2 voxels, (3, 2): 1 voxel}
//
// Source: the tables of phase "contacts" (find_contacts.h).
#pragma once
#include <voxcc/match.h>
#include "kernels3d/engine/tiles/key_slots.h"
#include "kernels3d/engine/tiles/label_voxels.h"

namespace voxcc::block_runs::tiles {

/// Labels as phases read them.
struct LabelReader {
    const void* labels;
    int bytes;  // per label

    /// Reads the low bits of the labels [first, end), at most N of them. The other values become 0.
    template <int N>
    VOXCC_HD void read(int64_t first, int64_t end, uint64_t (&values)[N]) const {
        if (bytes == 1) read_as<uint8_t>(first, end, values);
        else if (bytes == 2) read_as<uint16_t>(first, end, values);
        else if (bytes == 4) read_as<uint32_t>(first, end, values);
        else read_as<uint64_t>(first, end, values);
    }

private:
    template <class T, int N>
    VOXCC_HD void read_as(int64_t first, int64_t end, uint64_t (&values)[N]) const {
        const T* const from = static_cast<const T*>(labels) + first;
        VOXCC_UNROLL
        for (int i = 0; i < N; ++i) values[i] = first + i < end ? from[i] : 0;
    }
};

/// Phase functor. 16 pieces of 4 voxels per lane and 8 resident blocks take 0.38 ms; 8 pieces of 8 voxels and 4 blocks take 0.54 ms (NVIDIA
/// H200, 2026-11-30, 512^3 labels of u32, 4,626 objects in each image).
struct CountShared {
    static constexpr int lanes = 256, piece = 4, pieces = 16, slots = 512, resident = 8;
    static constexpr int64_t tile_voxels = int64_t(lanes) * piece * pieces;
    struct Shared {
        TileSums<uint64_t, 1, slots> sums;  // by pair
    };

    LabelReader a, b;
    int64_t count;
    KeySlots labels_a, labels_b, pairs;
    uint64_t* voxels;  // by slot of the pair

    /// A pair of labels as a key; 0 if a table is full.
    VOXCC_HD uint64_t pair_of(uint64_t label_a, uint64_t label_b) const {
        const uint32_t slot_a = labels_a.slot_of(label_a), slot_b = labels_b.slot_of(label_b);
        return slot_a == KeySlots::none || slot_b == KeySlots::none ? 0 : uint64_t(slot_a + 1) << 32 | (slot_b + 1);
    }
    VOXCC_HD void add_to_table(uint64_t pair, uint32_t number) const {
        const uint32_t slot = pairs.slot_of(pair);
        if (slot != KeySlots::none) exec::fetch_add(voxels + slot, number);
    }
    VOXCC_HD void deposit(Shared& shared, uint64_t label_a, uint64_t label_b, uint32_t number) const {
        if (number == 0) return;
        const uint64_t pair = pair_of(label_a, label_b);
        const uint32_t words[1]{number};
        if (pair != 0 && !shared.sums.add(pair, words)) add_to_table(pair, number);
    }
    VOXCC_HD void count_lane(Shared& shared, std::int64_t t, int lane) const {
        uint64_t label_a = 0, label_b = 0;
        uint32_t number = 0;  // of voxels with these labels, not yet deposited
        VOXCC_NO_UNROLL
        for (int p = 0; p < pieces; ++p) {
            const int64_t first = t * tile_voxels + (int64_t(p) * lanes + lane) * piece;
            if (first >= count) break;
            uint64_t values_a[piece], values_b[piece];
            a.read(first, count, values_a);
            b.read(first, count, values_b);
            VOXCC_UNROLL
            for (int i = 0; i < piece; ++i) {
                if (values_a[i] == 0 || values_b[i] == 0) continue;
                if (values_a[i] != label_a || values_b[i] != label_b) {
                    deposit(shared, label_a, label_b, number);
                    label_a = values_a[i], label_b = values_b[i], number = 0;
                }
                ++number;
            }
        }
        deposit(shared, label_a, label_b, number);
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        Shared& shared = tile.shared;
        tile.each([&](int lane) { shared.sums.clear(lane, lanes); });
        tile.each([&](int lane) { count_lane(shared, t, lane); });
        tile.each([&](int lane) {
            for (int i = lane; i < int(shared.sums.used); i += lanes) {
                const int slot = shared.sums.slot[i];
                add_to_table(shared.sums.key[slot], shared.sums.sum[0][slot]);
            }
        });
    }
};

/// Moves the pairs of the table to a list.
struct ListShared {
    KeySlots labels_a, labels_b, pairs;
    const uint64_t* voxels;
    SharedByLabels* list;
    uint32_t* count;
    VOXCC_HD void operator()(int64_t i) const {
        const uint64_t pair = pairs.keys[i];
        if (pair != 0) list[exec::append(count)] = {labels_a.keys[(pair >> 32) - 1], labels_b.keys[uint32_t(pair) - 1], voxels[i]};
    }
};

/// Counts the voxels that the labels of two volumes of the same size share. Memory: at least 32 bytes per different label and 64 bytes per
/// pair.
/// @param labels_a, labels_b the number of different labels, without 0
/// @return each pair of labels once, in any order
/// @throw Error device_memory; unsupported_by_device if there are more than about 2^29 pairs
template <class Executor>
std::vector<SharedByLabels> count_shared(Executor& executor, const LabelVoxels& a, const LabelVoxels& b, uint64_t labels_a,
                                         uint64_t labels_b) {
    if (labels_a == 0 || labels_b == 0) return {};
    constexpr uint64_t growth = 8;
    for (uint64_t grown = 1;; grown *= growth) {
        const KeyTable table_a(executor, labels_a * grown, "shared"), table_b(executor, labels_b * grown, "shared"),
            pairs(executor, (labels_a + labels_b) * grown, "shared");
        exec::Array<uint64_t> voxels(executor.memory(), pairs.capacity());
        executor.fill("shared", voxels, uint64_t{0});
        executor.template for_each_tile<CountShared::lanes, CountShared::Shared>(
            "shared", (a.count + CountShared::tile_voxels - 1) / CountShared::tile_voxels,
            CountShared{{a.labels, int(size_of(a.type))},
                        {b.labels, int(size_of(b.type))},
                        a.count,
                        table_a.slots(),
                        table_b.slots(),
                        pairs.slots(),
                        voxels.data()});
        const KeyTable::State found = pairs.state(executor);
        if (found.is_full || table_a.state(executor).is_full || table_b.state(executor).is_full) continue;
        exec::Array<SharedByLabels> list(executor.memory(), found.keys);
        exec::Array<uint32_t> listed(executor.memory(), 1);
        executor.fill("shared", listed, uint32_t{0});
        executor.for_each("shared", pairs.capacity(),
                          ListShared{table_a.slots(), table_b.slots(), pairs.slots(), voxels.data(), list.data(), listed.data()});
        std::vector<SharedByLabels> shared = executor.fetch(list);
        for (SharedByLabels& pair : shared) pair.a = label_of_bits(pair.a, a.type), pair.b = label_of_bits(pair.b, b.type);
        return shared;
    }
}

}  // namespace voxcc::block_runs::tiles
