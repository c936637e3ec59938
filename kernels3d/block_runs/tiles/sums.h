// Phase "measure": one row of sums (sums.h) for every component.
//
// Each lane reads one row of a tile or half of a row. It adds up stretches of voxels in registers while the root stays the same. The last
// sums of the lanes of a warp are combined if they belong to one root. Sums relative to the tile fit 32 bits. They are added up in shared
// memory, in one column per root. Roots of a tile that belong to one component share a column; a hash of the component's number finds the
// column. So each tile sends one row per component to the table. It adds the row with 64-bit atomics, or stores it if the component lies
// in this tile alone. Bounding boxes are sets of columns, rows and slices until they leave the tile. The sums of a tile without background
// that has one root are constants.
// The first components have several rows, and the tiles take turns in using them: all tiles would wait for the single row of a component
// that lies in all tiles. Such a component contains voxels of the first rows of the volume, so its number is small.
#pragma once
#include <voxcc/statistics.h>
#include "kernels3d/block_runs/tiles/contacts.h"
#include "kernels3d/exec/atomic.h"

#include <cstring>

namespace voxcc::block_runs::tiles {

using TableRow = Sums<uint64_t>;

/// Sums over voxels of a tile; coordinates are relative to the corner of the tile. Words can be added up by warp instructions.
template <class Shape>
struct Part {
    using TileMoments = Moments<uint32_t>;
    static constexpr int sums = 10, words_y = (Shape::size_y + 31) / 32, columns_at = sums, y_at = sums + 2, z_at = y_at + words_y;
    static constexpr int words = z_at + 1;
    uint32_t word[words];  // the sums in the order of Moments; the sets of columns, of rows in y, of slices

    /// Voxels of one row.
    /// @param in_row moments of the voxels relative to the start of the row
    /// @param set columns of the voxels
    VOXCC_HD static Part of_row(const TileMoments& in_row, uint64_t set, uint32_t y, uint32_t z) {
        const TileMoments m = in_row.shifted(0, y, z);
        Part part{{m.n, m.x, m.y, m.z, m.xx, m.yy, m.zz, m.xy, m.xz, m.yz, uint32_t(set), uint32_t(set >> 32)}};
        VOXCC_UNROLL
        for (int w = 0; w < words_y; ++w) part.word[y_at + w] = y / 32 == uint32_t(w) ? 1u << y % 32 : 0;
        part.word[z_at] = 1u << z;
        return part;
    }
    /// All voxels of a tile.
    VOXCC_HD static Part of_full_tile() {
        constexpr uint32_t X = columns, Y = Shape::size_y, Z = Shape::size_z;
        constexpr auto sum = [](uint32_t n) { return n * (n - 1) / 2; };                        // 0 + 1 + .. + n - 1
        constexpr auto squares = [](uint32_t n) { return n * (n - 1) / 2 * (2 * n - 1) / 3; };  // of the same numbers
        Part part{{X * Y * Z, sum(X) * Y * Z, X * sum(Y) * Z, X * Y * sum(Z), squares(X) * Y * Z, X * squares(Y) * Z, X * Y * squares(Z),
                   sum(X) * sum(Y) * Z, sum(X) * Y * sum(Z), X * sum(Y) * sum(Z), ~0u, ~0u}};
        VOXCC_UNROLL
        for (int w = 0; w < words_y; ++w) part.word[y_at + w] = ~0u >> (Y < 32 ? 32 - Y : 0);
        part.word[z_at] = ~0u >> (32 - Z);
        return part;
    }
    VOXCC_HD TileMoments moments() const {
        return {word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7], word[8], word[9]};
    }
    /// The sums relative to the corner of the volume; the corner of the tile lies at (x0, y0, z0).
    VOXCC_HD TableRow in_volume(uint64_t x0, uint64_t y0, uint64_t z0) const {
        const uint64_t set_x = word[columns_at] | uint64_t(word[columns_at + 1]) << 32;
        TableRow row{moments().template as<uint64_t>().shifted(x0, y0, z0)};
        uint32_t low_y = ~0u, high_y = 0;
        VOXCC_UNROLL
        for (int w = 0; w < words_y; ++w) {
            const uint32_t set = word[y_at + w];
            if (set == 0) continue;
            if (low_y == ~0u) low_y = uint32_t(32 * w + lowest_bit(set));
            high_y = uint32_t(32 * w + highest_bit(set));
        }
        row.x0 = uint32_t(x0) + uint32_t(lowest_bit(set_x)), row.x1 = uint32_t(x0) + uint32_t(highest_bit(set_x));
        row.y0 = uint32_t(y0) + low_y, row.y1 = uint32_t(y0) + high_y;
        row.z0 = uint32_t(z0) + uint32_t(lowest_bit(word[z_at])), row.z1 = uint32_t(z0) + uint32_t(highest_bit(word[z_at]));
        return row;
    }
};

/// Merges a row into a row of the table. Other threads may merge into the same row.
VOXCC_HD inline void add_shared(TableRow& to, const TableRow& row) {
    to.for_each_with(row, [](uint64_t& sum, uint64_t part) { exec::fetch_add(&sum, part); });
    exec::fetch_min(&to.x0, row.x0), exec::fetch_min(&to.y0, row.y0), exec::fetch_min(&to.z0, row.z0);
    exec::fetch_max(&to.x1, row.x1), exec::fetch_max(&to.y1, row.y1), exec::fetch_max(&to.z1, row.z1);
}

/// Additional rows: `copies` rows for each of the first components.
struct SpareRows {
    static constexpr uint32_t copies = 32, most_components = 1024;
    uint32_t components;  // with additional rows
    TableRow* rows;       // [copies][components]
    static uint32_t components_of(uint32_t all) { return all < most_components ? all : most_components; }
};

/// Empties the table and then the spare rows, in words of 8 bytes.
struct EmptyRows {
    static constexpr int64_t row_words = sizeof(TableRow) / 8;
    int64_t table_words;
    uint64_t *table, *spares;
    uint64_t box[3];  // the last words of an empty row; the others are 0
    EmptyRows(const exec::Array<TableRow>& of, const exec::Array<TableRow>& beside)
        : table_words(of.size() * row_words),
          table(reinterpret_cast<uint64_t*>(of.data())),
          spares(reinterpret_cast<uint64_t*>(beside.data())) {
        const TableRow empty;
        std::memcpy(box, &empty.x0, sizeof box);
    }
    VOXCC_HD void operator()(int64_t i) const {
        const int64_t word = i % row_words;  // comparisons: lanes that read different indices of an argument wait for each other
        const uint64_t value = word == row_words - 3 ? box[0] : word == row_words - 2 ? box[1] : word == row_words - 1 ? box[2] : 0;
        (i < table_words ? table + i : spares + (i - table_words))[0] = value;
    }
};

/// Adds the spare rows to the table.
struct AddSpareRows {
    SpareRows spare;
    TableRow* table;
    VOXCC_HD void operator()(int64_t i) const {
        if (spare.rows[i].n > 0) add_shared(table[i % spare.components], spare.rows[i]);
    }
};

/// @tparam Held number of roots with sums in shared memory, less than 512. Further roots of a tile add to the table one by one. With a
/// smaller number more tiles are processed at the same time.
template <class Shape, int Held>
struct Measure {
    using Part = tiles::Part<Shape>;
    static constexpr int rows = Shape::rows, lanes = rows < 128 ? 128 : rows, lanes_per_row = lanes / rows;
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
        if constexpr (lanes_per_row == 2) voxels &= lane % 2 ? ~uint64_t{0} << 32 : ~uint64_t{0} >> 32;
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

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        Shared& shared = tile.shared;
        const int runs = arrays.counts[t].runs(), roots = arrays.counts[t].roots(), columns_here = roots < held ? roots : held;
        if (runs == 0) return;
        const exec::Cell at = arrays.place(uint32_t(t));
        const Place place{t, {at.x * columns, at.y * Shape::size_y, at.z * Shape::size_z}};
        const bool has_background = tile.any([&](int lane) {
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
        });
        if (roots == 1 && !has_background) {
            tile.each([&](int lane) {
                if (lane == 0) add_to_table(place, number_of(t, 0) & ~in_one_tile, Part::of_full_tile());
            });
            return;
        }
        tile.each([&](int lane) {
            for (int k = lane; k < columns_here; k += lanes) find_slot(shared, uint32_t(k), number_of(t, uint32_t(k)));
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
};

}  // namespace voxcc::block_runs::tiles
