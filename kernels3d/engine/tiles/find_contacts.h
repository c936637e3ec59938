// Phase "contacts": the pairs of labels that touch, with the number of voxels that share a face, an edge or a corner (voxcc/contacts.h).
//
// Each lane compares 32 columns of a row with the columns to the left and with 4 rows before it, which contain all 13 earlier neighbours
// of a voxel. A lane goes through two rows once, for neighbours in the same column and in adjacent columns. It counts a stretch of columns
// at once, and keeps the counts of one pair of labels in registers. Pairs are collected in shared memory, then in a hash table in global
// memory. If this table is too small, the phase runs again with a larger one.
#pragma once
#include <voxcc/contacts.h>
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/neighbour_labels.h"
#include "kernels3d/engine/tiles/tile_sums.h"

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

/// Phase functor. Axes do not wrap around.
template <class Shape>
struct FindContacts {
    using Rows = PaddedRows<Shape>;
    using Labels = LabelsOfTile<Shape>;
    using Held = NeighbourLabels<Shape>;
    static constexpr int rows = Shape::rows, lanes = rows < 128 ? 128 : rows, lanes_per_row = lanes / rows, slots = 256;
    static constexpr int width = 32;  // columns that a lane compares at once
    static constexpr int resident = 1024 / lanes;
    static_assert(rows * columns <= 1 << 13 && lanes_per_row <= columns / width);

    struct Shared {
        Held of;
        TileSums<uint64_t, ContactPart::words, slots> sums;  // by pair
    };

    Labels labels;
    int most_axes;  // 1: faces, 2: also edges, 3: also corners
    ContactTable table;

    /// How the voxels of two rows touch.
    struct Relation {
        int axes, axis;     // number of axes along which voxels in the same column differ, and the last of these axes
        bool has_diagonal;  // whether voxels in adjacent columns touch, too
    };
    /// The counts of the pair that a lane found last.
    struct Recent {
        uint32_t low = 0, high = 0;  // the labels; 0: none
        ContactPart part{};
        uint32_t straight = 0, diagonal = 0;  // in the same column and in adjacent columns, by the current relation; not yet in `part`

        /// Ends the counts by a relation.
        VOXCC_HD void end(const Relation& by) {
            part.add(by.axes, by.axis, straight);
            part.add(by.axes + 1, 0, diagonal);
            straight = diagonal = 0;
        }
    };
    VOXCC_HD void deposit(Shared& shared, const Recent& recent) const {
        const uint64_t pair = uint64_t(recent.low) << 32 | recent.high;
        if (pair != 0 && !shared.sums.add(pair, recent.part.word)) table.add(pair, recent.part.word);
    }
    /// Adds contacts of the labels a and b.
    VOXCC_HD void add(Shared& shared, Recent& recent, const Relation& by, uint32_t a, uint32_t b, uint32_t straight,
                      uint32_t diagonal) const {
        if (a == b || a == 0 || b == 0) return;
        const uint32_t low = a < b ? a : b, high = a < b ? b : a;
        if (low != recent.low || high != recent.high) {
            recent.end(by);
            deposit(shared, recent);
            recent = {low, high};
        }
        recent.straight += straight, recent.diagonal += diagonal;
    }

    /// Columns `from` to `from` + width - 1 of a row, and the place of a lane in them.
    struct Place {
        int row;
        uint32_t bits, starts;
        int run;  // the last run that starts before the column of the lane; at first, before column `from`

        VOXCC_HD Place(const Held& of, int r, int from)
            : row(r),
              bits(uint32_t(of.bits[r] >> from)),
              starts(uint32_t(of.starts[r] >> from)),
              run(from == 0 ? -1 : count_bits(uint32_t(of.starts[r])) - 1) {}
        /// Columns in which a label or background begins, as far as bits show it. Column `from` may also begin one.
        VOXCC_HD uint32_t edges() const { return starts | (bits ^ bits << 1); }
    };
    static_assert(columns == 2 * width);

    /// Goes to the next edge. @return the label from there on, 0: background
    VOXCC_HD uint32_t go_on(const Held& of, Place& place, int column) const {
        place.run += int(place.starts >> column & 1);
        return place.bits >> column & 1 ? labels.label_of_run(of, place.row, place.run) : 0;
    }
    /// The label of the column before `from`.
    /// @param place before its first edge
    VOXCC_HD uint32_t label_before(const Held& of, const Place& place, int from) const {
        if (from == 0) return of.left[place.row];
        return of.bits[place.row] >> (from - 1) & 1 ? labels.label_of_run(of, place.row, place.run) : 0;
    }
    /// The label of the column after the last one.
    /// @param place after its last edge
    VOXCC_HD uint32_t label_after(const Held& of, const Place& place, int from) const {
        const int next = from + width;
        if (next == columns) return of.right[place.row];
        if ((of.bits[place.row] >> next & 1) == 0) return 0;
        return labels.label_of_run(of, place.row, place.run + int(of.starts[place.row] >> next & 1));
    }

    /// Adds the contacts along a row.
    VOXCC_HD void compare_columns(Shared& shared, Recent& recent, Place own, int from) const {
        constexpr Relation by{1, 0, false};
        uint32_t before = label_before(shared.of, own, from);
        for (uint32_t edges = own.edges() | 1; edges != 0; edges &= edges - 1) {
            const uint32_t label = go_on(shared.of, own, lowest_bit(edges));
            add(shared, recent, by, before, label, 1, 0);
            before = label;
        }
        recent.end(by);
    }
    /// Adds the contacts of two rows. From one edge to the next, each row has one label. A stretch of n columns has n contacts in the same
    /// column and 2 (n - 1) in adjacent columns. Two more contacts lie across each edge.
    VOXCC_HD void compare_rows(Shared& shared, Recent& recent, Place own, Place other, int from, const Relation& by) const {
        uint32_t own_before = 0;  // the lane to the left adds the contacts of the column before
        uint32_t other_before = by.has_diagonal ? label_before(shared.of, other, from) : 0;
        uint32_t edges = own.edges() | other.edges() | 1;
        do {
            const int column = lowest_bit(edges);
            edges &= edges - 1;
            const uint32_t length = uint32_t((edges == 0 ? width : lowest_bit(edges)) - column);
            const uint32_t label = go_on(shared.of, own, column), there = go_on(shared.of, other, column);
            add(shared, recent, by, label, there, length, by.has_diagonal ? 2 * length - 2 : 0);
            if (by.has_diagonal) {
                add(shared, recent, by, label, other_before, 0, 1);
                add(shared, recent, by, own_before, there, 0, 1);
                own_before = label, other_before = there;
            }
        } while (edges != 0);
        if (by.has_diagonal) add(shared, recent, by, own_before, label_after(shared.of, other, from), 0, 1);
        recent.end(by);
    }
    VOXCC_HD void compare_lane(Shared& shared, uint32_t tile, int lane) const {
        const int row = lane / lanes_per_row, y = Shape::row_y(row), z = Shape::row_z(row), padded = Rows::at(y, z);
        if (!Surroundings<Shape>(labels.arrays, tile, labels.periodic).contains(y, z)) return;
        const Held& of = shared.of;
        constexpr int relations = Shape::crosses_slices ? 4 : 1, columns_of_lane = columns / lanes_per_row;
        const int first = lane % lanes_per_row * columns_of_lane;
        Recent recent;
        VOXCC_NO_UNROLL
        for (int from = first; from < first + columns_of_lane; from += width) {
            const Place own(of, padded, from);
            if (own.bits == 0) continue;
            compare_columns(shared, recent, own, from);
            VOXCC_NO_UNROLL
            for (int relation = 0; relation < relations; ++relation) {
                const int dy = step_y(Before(relation)), dz = step_z(Before(relation)), axes = (dy != 0) + (dz != 0);
                const int other = padded + dz * Rows::in_y + dy;
                if (axes > most_axes || (of.common[other] != Held::several && of.common[other] == of.common[padded])) continue;
                compare_rows(shared, recent, own, Place(of, other, from), from, {axes, dz != 0 ? 2 : 1, axes < most_axes});
            }
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
        tile.each([&](int lane) { compare_lane(shared, uint32_t(t), lane); });
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
