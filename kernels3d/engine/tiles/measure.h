// Phase "measure": one row of sums (sums.h) for every component.
//
// Each lane reads one row of a tile or a part of a row. It adds up stretches of voxels in registers while the root stays the same. The last
// sums of the lanes of a warp are combined if they belong to one root. Sums relative to the tile fit 32 bits. They are added up in shared
// memory, in one column per root. Roots of a tile that belong to one component share a column; a hash of the component's number finds the
// column. So each tile sends one row per component to the table. It adds the row with 64-bit atomics, or stores it if the component lies
// in this tile alone. Bounding boxes are sets of columns, rows and slices until they leave the tile. The sums of a tile without background
// that has one root are constants.
#pragma once
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/contacts.h"
#include "kernels3d/engine/tiles/sums.h"

namespace voxcc::block_runs::tiles {

/// @tparam Held number of roots with sums in shared memory, less than 512. Further roots of a tile add to the table one by one. With a
/// smaller number more tiles are processed at the same time.
/// @tparam Lanes number of lanes per tile, a multiple of the rows of a tile
template <class Shape, int Held, int Lanes = Shape::rows<128 ? 128 : Shape::rows> struct Measure {
    using Part = tiles::Part<Shape>;
    static constexpr int rows = Shape::rows, lanes = Lanes, lanes_per_row = lanes / rows, columns_per_lane = columns / lanes_per_row;
    /// Blocks per GPU processor: 1280 lanes with 48 registers each. More registers or fewer of them are slower.
    static constexpr int resident = 1280 / lanes;
    static constexpr int stages = 32, row_words = sizeof(TableRow) / 8;
    static constexpr int held = Held, slots = Held < 256 ? 256 : 512;  // entries of the hash, more than roots
    static constexpr uint16_t no_slot = 0xffff;

    struct Shared {
        uint64_t row[Shape::words];
        uint16_t first_run[block_rows];
        union {
            uint16_t root_of_run[Shape::most_runs];
            uint64_t staged[stages][row_words];  // afterwards: rows of the table, stored by all lanes together
        };
        uint32_t number[slots];         // of the component of a slot of the hash; 0: free
        uint16_t owner[slots];          // root whose column holds the sums of the component
        uint16_t slot[held];            // by root
        uint32_t stage_number[stages];  // of the component whose row is staged; 0: none
        uint32_t sum[Part::words][held];

        /// The column with the sums of a root.
        VOXCC_HD uint32_t column_of(uint32_t root) const { return root >= held || slot[root] == no_slot ? root : owner[slot[root]]; }
    };

    TileArrays arrays;
    TableRow* table;  // empty rows
    SpareRows spare;  // empty rows

    VOXCC_HD uint32_t number_of(std::int64_t t, uint32_t root) const { return arrays.numbers[t * Shape::most_runs + root]; }

    VOXCC_HD void find_slot(Shared& shared, uint32_t root, uint32_t number) const {
        shared.slot[root] = no_slot;
        if (number & in_one_tile) return;
        for (uint32_t slot = number * 2654435761u / (~uint32_t{0} / slots + 1);; slot = (slot + 1) % slots) {
            const uint32_t there = exec::exchange_if(shared.number + slot, 0, number);
            if (there != 0 && there != number) continue;
            if (there == 0) shared.owner[slot] = uint16_t(root);
            shared.slot[root] = uint16_t(slot);
            return;
        }
    }

    struct Place {
        std::int64_t tile;
        exec::Cell corner;
    };
    VOXCC_HD void add_to_table(const Place& place, uint32_t number, const Part& part) const {
        const uint32_t copy = uint32_t(place.tile) % SpareRows::copies;
        TableRow& to = number <= spare.components ? spare.rows[copy * spare.components + number - 1] : table[number - 1];
        add_shared(to, part.in_volume(place.corner.x, place.corner.y, place.corner.z));
    }
    VOXCC_HD void deposit(Shared& shared, const Place& place, uint32_t column, const Part& part) const {
        if (column >= held) return add_to_table(place, number_of(place.tile, column) & ~in_one_tile, part);
        VOXCC_UNROLL
        for (int w = 0; w < Part::words; ++w) {
            if (w < Part::sums) exec::fetch_add(&shared.sum[w][column], part.word[w]);
            else if (part.word[w]) exec::fetch_or(&shared.sum[w][column], part.word[w]);
        }
    }

    /// The sums of the last root of a lane, and the column of this root (none: no voxels). The sums of earlier roots are deposited.
    struct RowEnd {
        uint32_t column;
        Part part;
    };
    static constexpr uint32_t none = ~uint32_t{0};
    VOXCC_HD RowEnd add_row(Shared& shared, const Place& place, int lane) const {
        const int r = lane / lanes_per_row, b = r / Shape::depth;
        const uint32_t y = uint32_t(Shape::row_y(r)), z = uint32_t(Shape::row_z(r));
        const uint64_t starts = starts_of<Shape>(shared.row, b);
        uint64_t voxels = shared.row[r];
        if constexpr (lanes_per_row > 1) voxels &= ~uint64_t{0} >> (columns - columns_per_lane) << lane % lanes_per_row * columns_per_lane;
        uint32_t column = none;
        Moments<uint32_t> in_row;  // of the voxels since the last deposit
        uint64_t set = 0;          // their columns
        while (voxels) {
            const uint64_t first = voxels & (0 - voxels), go_on = Shape::by_value ? voxels & ~(starts & ~first) : voxels;
            const uint64_t stretch = go_on & ~(go_on + first);  // the addition carries through the lowest stretch
            const uint32_t from = uint32_t(lowest_bit(voxels)), length = uint32_t(count_bits(stretch));
            const int run = shared.first_run[b] + count_bits(starts << (63 - from)) - 1;
            const uint32_t its_column = shared.column_of(shared.root_of_run[run]);
            if (its_column != column && set != 0) {
                deposit(shared, place, column, Part::of_row(in_row, set, y, z));
                in_row = {}, set = 0;
            }
            column = its_column;
            in_row += Moments<uint32_t>::stretch(from, length);
            set |= stretch;
            voxels &= ~stretch;
        }
        return {column, Part::of_row(in_row, set, y, z)};
    }

    /// Sends the sums of a root's column to the table. Rows of components that lie in this tile alone are stored in `staged` first.
    VOXCC_HD void send(Shared& shared, const Place& place, uint32_t root, int stage) const {
        shared.stage_number[stage] = 0;
        if (shared.column_of(root) != root) return;
        Part part;
        VOXCC_UNROLL
        for (int w = 0; w < Part::words; ++w) part.word[w] = shared.sum[w][root];
        const uint32_t number = number_of(place.tile, root);
        if (!(number & in_one_tile)) return add_to_table(place, number, part);
        shared.stage_number[stage] = number & ~in_one_tile;
        const TableRow row = part.in_volume(place.corner.x, place.corner.y, place.corner.z);
        std::memcpy(shared.staged[stage], &row, sizeof row);
    }
    VOXCC_HD void store_staged(const Shared& shared, int lane) const {
        for (int i = lane; i < stages * row_words; i += lanes)
            if (const uint32_t number = shared.stage_number[i / row_words])
                reinterpret_cast<uint64_t*>(table + (number - 1))[i % row_words] = shared.staged[i / row_words][i % row_words];
    }

    VOXCC_HD Place place_of(std::int64_t t) const {
        const exec::Cell at = arrays.place(uint32_t(t));
        return {t, {at.x * columns, at.y * Shape::size_y, at.z * Shape::size_z}};
    }
    /// Part of a lane in the first step: loads the tile and empties the sums.
    /// @return whether a row of the lane has background
    VOXCC_HD bool load(Shared& shared, int lane, std::int64_t t) const {
        const int runs = arrays.counts[t].runs(), columns_here = columns_for(arrays.counts[t]);
        bool is_full = true;
        for (int r = lane; r < Shape::words; r += lanes) {
            const uint64_t row = shared.row[r] = arrays.rows[t * Shape::words + r];
            is_full = is_full && (r >= rows || row == ~uint64_t{0});
        }
        if (lane < block_rows) shared.first_run[lane] = arrays.first_run[t * block_rows + lane];
        for (int i = lane; i < runs; i += lanes) shared.root_of_run[i] = arrays.root_of_run[t * Shape::most_runs + i];
        for (int s = lane; s < slots; s += lanes) shared.number[s] = 0;
        for (int k = lane; k < columns_here; k += lanes) {
            VOXCC_UNROLL
            for (int w = 0; w < Part::words; ++w) shared.sum[w][k] = 0;
        }
        return !is_full;
    }
    /// The steps after load(): adds up the tile and sends the sums to the table.
    /// @param also(lane) is called once per lane, in the first of these steps. It must not change `shared`
    template <class Tile, class Also>
    VOXCC_HD void sum_up(Tile& tile, std::int64_t t, bool has_background, const Also& also) const {
        Shared& shared = tile.shared;
        const Place place = place_of(t);
        const int columns_here = columns_for(arrays.counts[t]);
        if (arrays.counts[t].roots() == 1 && !has_background) {
            tile.each([&](int lane) {
                if (lane == 0) add_to_table(place, number_of(t, 0) & ~in_one_tile, Part::of_full_tile());
                also(lane);
            });
            return;
        }
        tile.each([&](int lane) {
            for (int k = lane; k < columns_here; k += lanes) find_slot(shared, uint32_t(k), number_of(t, uint32_t(k)));
            also(lane);
        });
        typename Tile::template PerLane<uint32_t> column;
        typename Tile::template PerLane<Part> part;
        tile.each([&](int lane) {
            const RowEnd end = add_row(shared, place, lane);
            column[lane] = end.column;
            part[lane] = end.part;
        });
        tile.combine(column, part, none, [&](uint32_t key, const Part& sum) { deposit(shared, place, key, sum); });
        for (int first = 0; first < columns_here; first += stages) {
            tile.each([&](int lane) {
                if (lane >= stages) return;
                if (first + lane < columns_here) send(shared, place, uint32_t(first + lane), lane);
                else shared.stage_number[lane] = 0;
            });
            tile.each([&](int lane) { store_staged(shared, lane); });
        }
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        if (arrays.counts[t].runs() == 0) return;
        const bool has_background = tile.any([&](int lane) { return load(tile.shared, lane, t); });
        sum_up(tile, t, has_background, [](int) {});
    }

private:
    VOXCC_HD static int columns_for(const Counts& counts) { return counts.roots() < held ? counts.roots() : held; }
};

}  // namespace voxcc::block_runs::tiles
