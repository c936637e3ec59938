// Phase "contacts": the pairs of labels that touch, with the number of voxels that share a face, an edge or a corner (voxcc/contacts.h).
//
// Each lane compares a word with its 13 earlier neighbours. It counts a stretch of columns at once, and keeps the counts of one pair of
// labels in registers. Pairs are collected in shared memory, then in a hash table in global memory. If this table is too small, the
// phase runs again with a larger one.
#pragma once
#include <voxcc/contacts.h>
#include "kernels3d/block_runs/tiles/neighbour_labels.h"
#include "kernels3d/block_runs/tiles/tile_sums.h"

#include <algorithm>
#include <bit>

namespace voxcc::block_runs::tiles {

/// The counts of a pair of labels. A pair has at most as many faces per axis as the volume has voxels, so that 32 bits are sufficient.
struct ContactRow {
    uint64_t pair;  // smaller label << 32 | larger label; 0: free
    uint64_t edges, corners;
    uint32_t faces[3];
    uint32_t unused;
};
static_assert(sizeof(ContactRow) == 40);

/// The counts of a pair in one tile: 16 bits each, because a tile has at most 2^13 voxels, 6 edges and 4 corners per voxel.
struct ContactPart {
    static constexpr int words = 3;
    uint32_t word[words];  // faces across x and y; faces across z and corners; edges

    /// @param axes number of axes along which the voxels differ
    /// @param axis of a face
    VOXCC_HD void add(int axes, int axis, uint32_t count) {
        if (axes == 2) word[2] += count;
        else if (axes == 3) word[1] += count << 16;
        else if (axis == 2) word[1] += count;
        else word[0] += count << 16 * axis;
    }
};

/// The hash table in global memory.
struct ContactTable {
    static constexpr int probes = 64;  // slots that are searched for a pair
    ContactRow* rows;
    uint32_t capacity;  // a power of two
    uint32_t* state;    // the number of pairs; then not 0 if a pair found no slot

    VOXCC_HD void add(uint64_t pair, const uint32_t (&word)[ContactPart::words]) const {
        uint32_t slot = hash_of(pair) & (capacity - 1);
        for (int i = 0; i < probes; ++i, slot = (slot + 1) & (capacity - 1)) {
            ContactRow& row = rows[slot];
            uint64_t there = exec::load(&row.pair);
            if (there == 0) {
                there = exec::exchange_if(&row.pair, 0, pair);
                if (there == 0) exec::append(state);
            }
            if (there != 0 && there != pair) continue;
            add_count(row.faces + 0, word[0] & 0xffff), add_count(row.faces + 1, word[0] >> 16);
            add_count(row.faces + 2, word[1] & 0xffff), add_count(&row.corners, word[1] >> 16);
            add_count(&row.edges, word[2]);
            return;
        }
        exec::store(state + 1, 1);
    }

private:
    template <class Count>
    VOXCC_HD static void add_count(Count* to, uint32_t count) {
        if (count != 0) exec::fetch_add(to, count);
    }
};

/// Phase functor.
template <class Shape>
struct FindContacts {
    using Rows = PaddedRows<Shape>;
    using Labels = LabelsOfTile<Shape>;
    static constexpr int rows = Shape::rows, lanes = rows < 128 ? 128 : rows, lanes_per_row = lanes / rows, slots = 256;
    static constexpr int resident = 1024 / lanes;
    static_assert(rows * columns <= 1 << 13);

    struct Shared {
        NeighbourLabels<Shape> of;
        TileSums<uint64_t, ContactPart::words, slots> sums;  // by pair
    };

    Labels labels;
    int most_axes;  // 1: faces, 2: also edges, 3: also corners
    ContactTable table;

    /// The counts of the pair that a lane found last.
    struct Recent {
        uint64_t pair = 0;  // 0: none
        ContactPart part{};
    };
    VOXCC_HD void deposit(Shared& shared, const Recent& recent) const {
        if (recent.pair != 0 && !shared.sums.add(recent.pair, recent.part.word)) table.add(recent.pair, recent.part.word);
    }
    VOXCC_HD static uint64_t pair_of(uint32_t a, uint32_t b) { return a < b ? uint64_t(a) << 32 | b : uint64_t(b) << 32 | a; }

    /// Adds the contacts of a row with a row (dy, dz) before it, moved by `step` columns.
    VOXCC_HD void compare(Shared& shared, Recent& recent, int row, uint64_t own, int dy, int dz, int step) const {
        const int axes = (dy != 0) + (dz != 0) + (step != 0), axis = dz != 0 ? 2 : dy != 0 ? 1 : 0;
        labels.compare(shared.of, row, own, row + dz * Rows::in_y + dy, step, [&](uint64_t set, uint32_t a, uint32_t b) {
            if (a == b || a == 0 || b == 0) return;
            const uint64_t pair = pair_of(a, b);
            if (pair != recent.pair) {
                deposit(shared, recent);
                recent = {pair, {}};
            }
            recent.part.add(axes, axis, uint32_t(count_bits(set)));
        });
    }
    VOXCC_HD void compare_row(Shared& shared, uint32_t tile, int lane) const {
        const Surroundings<Shape> around(labels.arrays, tile, labels.periodic);
        const int row = lane / lanes_per_row, y = Shape::row_y(row), z = Shape::row_z(row), padded = Rows::at(y, z);
        uint64_t own = around.contains(y, z) ? shared.of.bits[padded] : 0;
        if constexpr (lanes_per_row == 2) own &= lane % 2 ? ~uint64_t{0} << 32 : ~uint64_t{0} >> 32;
        if (own == 0) return;
        Recent recent;
        compare(shared, recent, padded, own, 0, 0, -1);
        constexpr int relations = Shape::crosses_slices ? 4 : 1;
        for (int relation = 0; relation < relations; ++relation) {
            const int dy = step_y(Before(relation)), dz = step_z(Before(relation));
            const int other = padded + dz * Rows::in_y + dy;
            if (shared.of.common[other] != NeighbourLabels<Shape>::several && shared.of.common[other] == shared.of.common[padded]) continue;
            const int beside = most_axes - (dy != 0) - (dz != 0);  // negative: rows that do not touch; 0: only in the same column
            if (beside < 0) continue;
            for (int step = beside > 0 ? -1 : 0; step <= (beside > 0 ? 1 : 0); ++step) compare(shared, recent, padded, own, dy, dz, step);
        }
        deposit(shared, recent);
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        Shared& shared = tile.shared;
        if (labels.arrays.counts[t].runs() == 0) return;
        tile.each([&](int lane) {
            shared.sums.clear(lane, lanes);
            labels.load(shared.of, uint32_t(t), lane, lanes);
        });
        tile.each([&](int lane) { compare_row(shared, uint32_t(t), lane); });
        tile.each([&](int lane) {
            for (int i = lane; i < int(shared.sums.used); i += lanes) {
                const int slot = shared.sums.slot[i];
                const uint32_t word[ContactPart::words]{shared.sums.sum[0][slot], shared.sums.sum[1][slot], shared.sums.sum[2][slot]};
                table.add(shared.sums.key[slot], word);
            }
        });
    }
};

/// Moves the pairs of the table to a list.
struct ListContacts {
    const ContactRow* rows;
    ContactRow* list;
    uint32_t* count;
    VOXCC_HD void operator()(int64_t i) const {
        if (rows[i].pair != 0) list[exec::append(count)] = rows[i];
    }
};

/// The contacts in ascending order of their labels.
inline std::vector<LabelContact> sorted_contacts(std::vector<ContactRow> rows) {
    std::sort(rows.begin(), rows.end(), [](const ContactRow& l, const ContactRow& r) { return l.pair < r.pair; });
    std::vector<LabelContact> contacts;
    contacts.reserve(rows.size());
    for (const ContactRow& row : rows)
        contacts.push_back({row.pair >> 32, row.pair & ~uint32_t{0}, {row.faces[0], row.faces[1], row.faces[2]}, row.edges, row.corners});
    return contacts;
}

/// The number of axes along which neighbours can differ.
// c6 -> 1, c8 -> 2, c26 -> 3
constexpr int most_axes_of(Connectivity c) {
    if (c == Connectivity::c4 || c == Connectivity::c6) return 1;
    return c == Connectivity::c26 ? 3 : 2;
}

/// Counts the contacts between labels. Axes do not wrap around.
/// @param final_numbers in the memory of the executor, see Engine::paint()
/// @param connectivity must cross slices if and only if the tiles do
/// @param memory limit for the pairs on the host; null: none
/// @throw Error device_memory; unsupported_by_device if there are more than about 2^31 pairs; MemoryLimitReached
template <Connectivity K, Rule R, class Executor>
std::vector<LabelContact> find_contacts(Executor& executor, const TileArrays& arrays, uint32_t components, const uint32_t* final_numbers,
                                        Connectivity connectivity, MemoryLimit* memory) {
    constexpr int64_t least = 1 << 12, most_at_first = 1 << 22, pairs_per_component = 16, growth = 8, most = int64_t{1} << 31;
    exec::Array<uint32_t> state(executor.memory(), 3);
    for (int64_t capacity = std::clamp(int64_t(std::bit_ceil(uint64_t(components))) * pairs_per_component, least, most_at_first);;
         capacity *= growth) {
        if (capacity > most) throw Error(ErrorKind::unsupported_by_device, "contacts", "there are too many pairs of labels");
        exec::Array<ContactRow> rows(executor.memory(), capacity);
        executor.fill("contacts", state, uint32_t{0});
        executor.for_each("contacts", capacity * int64_t(sizeof(ContactRow) / sizeof(uint64_t)),
                          ClearWords{reinterpret_cast<uint64_t*>(rows.data())});
        using Phase = FindContacts<TileShape<K, R>>;
        executor.template for_each_tile<Phase::lanes, typename Phase::Shared>(
            "contacts", arrays.tiles.cells(),
            Phase{{arrays, {}, final_numbers}, most_axes_of(connectivity), {rows.data(), uint32_t(capacity), state.data()}});
        const std::vector<uint32_t> done = executor.fetch(state);
        if (done[1] != 0) continue;
        TakenMemory taken(memory);
        taken.take(int64_t(done[0]) * int64_t(sizeof(ContactRow) + sizeof(LabelContact)));
        exec::Array<ContactRow> list(executor.memory(), done[0]);
        executor.for_each("contacts", capacity, ListContacts{rows.data(), list.data(), state.data() + 2});
        return sorted_contacts(executor.fetch(list));
    }
}

}  // namespace voxcc::block_runs::tiles
