// Phase "measure": a complete row of sums (statistics.h) for every component.
//
// A lane goes along a row of a tile, or a share of it: closed forms for stretches of voxels, kept in registers as long as the root stays
// the same; what the rows of a warp end with is added up where it is one root's. Sums relative to the tile fit 32 bits; they are added up
// in shared memory, a column a root. Roots of a tile that are one component share a column, which they find by a hash of the component's
// number: so each tile sends one row a component to the table, in 64-bit atomics, or stores it where the component lies in this tile alone.
// Bounding boxes are kept as the sets of columns, rows and slices that are met, until they leave the tile.
// The first components have several rows, of which tiles take turns to use one: one row of a component that is everywhere would have all
// tiles wait for it. Such a component meets the volume's first rows, so its number is small.
#pragma once
#include <voxcc/statistics.h>
#include "kernels3d/block_runs/tiles/contacts.h"
#include "kernels3d/exec/atomic.h"

#include <cstring>

namespace voxcc::block_runs::tiles {

using TableRow = Sums<uint64_t>;

/// Voxels of a tile; coordinates count from the tile's corner.
template <class Shape>
struct Part {
    static constexpr int sums = 10, words_y = (Shape::size_y + 31) / 32, columns_at = sums, y_at = sums + 2, z_at = y_at + words_y;
    static constexpr int words = z_at + 1;
    uint32_t word[words];  // n x y z xx xy xz yy yz zz; sets of columns, of rows in y, of slices

    /// Of one row: n voxels in the columns `met`, x and xx are the sums of their columns and of the squares of these.
    VOXCC_HD static Part of_row(uint32_t n, uint32_t x, uint32_t xx, uint64_t met, uint32_t y, uint32_t z) {
        Part part{{n, x, n * y, n * z, xx, x * y, x * z, n * y * y, n * y * z, n * z * z, uint32_t(met), uint32_t(met >> 32)}};
        VOXCC_UNROLL
        for (int w = 0; w < words_y; ++w) part.word[y_at + w] = y / 32 == uint32_t(w) ? 1u << y % 32 : 0;
        part.word[z_at] = 1u << z;
        return part;
    }
    /// Coordinates count from the volume's corner, that of the tile lies at (x0, y0, z0).
    VOXCC_HD TableRow in_volume(uint64_t x0, uint64_t y0, uint64_t z0) const {
        const uint64_t n = word[0], x = word[1], y = word[2], z = word[3], met = word[columns_at] | uint64_t(word[columns_at + 1]) << 32;
        TableRow row;
        row.n = n, row.x = x + n * x0, row.y = y + n * y0, row.z = z + n * z0;
        row.xx = word[4] + x0 * (2 * x + n * x0), row.yy = word[7] + y0 * (2 * y + n * y0), row.zz = word[9] + z0 * (2 * z + n * z0);
        row.xy = word[5] + x0 * y + y0 * (x + n * x0), row.xz = word[6] + x0 * z + z0 * (x + n * x0);
        row.yz = word[8] + y0 * z + z0 * (y + n * y0);
        uint32_t low_y = ~0u, high_y = 0;
        VOXCC_UNROLL
        for (int w = 0; w < words_y; ++w) {
            const uint32_t set = word[y_at + w];
            if (set == 0) continue;
            if (low_y == ~0u) low_y = uint32_t(32 * w + lowest_bit(set));
            high_y = uint32_t(32 * w + highest_bit(set));
        }
        row.x0 = uint32_t(x0) + uint32_t(lowest_bit(met)), row.x1 = uint32_t(x0) + uint32_t(highest_bit(met));
        row.y0 = uint32_t(y0) + low_y, row.y1 = uint32_t(y0) + high_y;
        row.z0 = uint32_t(z0) + uint32_t(lowest_bit(word[z_at])), row.z1 = uint32_t(z0) + uint32_t(highest_bit(word[z_at]));
        return row;
    }
};

/// Adds to a row of the table to which others may be adding.
VOXCC_HD inline void add_shared(TableRow& to, const TableRow& row) {
    exec::fetch_add(&to.n, row.n);
    exec::fetch_add(&to.x, row.x), exec::fetch_add(&to.y, row.y), exec::fetch_add(&to.z, row.z);
    exec::fetch_add(&to.xx, row.xx), exec::fetch_add(&to.yy, row.yy), exec::fetch_add(&to.zz, row.zz);
    exec::fetch_add(&to.xy, row.xy), exec::fetch_add(&to.xz, row.xz), exec::fetch_add(&to.yz, row.yz);
    exec::fetch_min(&to.x0, row.x0), exec::fetch_min(&to.y0, row.y0), exec::fetch_min(&to.z0, row.z0);
    exec::fetch_max(&to.x1, row.x1), exec::fetch_max(&to.y1, row.y1), exec::fetch_max(&to.z1, row.z1);
}

/// Rows beside the table: `copies` for each of the first components.
struct SpareRows {
    static constexpr uint32_t copies = 32, most_components = 1024;
    uint32_t components;  // that have some
    TableRow* rows;       // [copies][components]
    static uint32_t components_of(uint32_t all) { return all < most_components ? all : most_components; }
};

/// Empties the table and the spare rows behind one another, by words of 8 bytes.
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
        const int64_t word = i % row_words;  // chosen by comparison: lanes that index an argument differently wait for each other
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

/// @tparam Held roots with sums in shared memory, fewer than 512: more roots than that add to the table one by one. With fewer, more tiles
/// are at work at once.
template <class Shape, int Held>
struct Measure {
    using Part = tiles::Part<Shape>;
    static constexpr int rows = Shape::rows, lanes = rows < 128 ? 128 : rows, lanes_per_row = lanes / rows;
    static constexpr int stages = 32, row_words = sizeof(TableRow) / 8;
    static constexpr int held = Held, slots = Held < 256 ? 256 : 512;  // places of the hash, more than roots
    static constexpr uint16_t no_slot = 0xffff;

    struct Shared {
        uint64_t row[Shape::words];
        uint16_t first_run[block_rows];
        union {
            uint16_t root_of_run[Shape::most_runs];
            uint64_t staged[stages][row_words];  // afterwards: rows of the table, stored side by side, which single lanes cannot
        };
        uint32_t number[slots];         // of the component that a slot of the hash belongs to; 0: free
        uint16_t owner[slots];          // the root in whose column the component is added up
        uint16_t slot[held];            // by root
        uint32_t stage_number[stages];  // whose row is staged; 0: none
        uint32_t sum[Part::words][held];

        /// The column in which a root is added up.
        VOXCC_HD uint32_t column_of(uint32_t root) const { return root >= held || slot[root] == no_slot ? root : owner[slot[root]]; }
    };

    TileArrays arrays;
    TableRow* table;  // empty rows
    SpareRows spare;  // empty rows

    VOXCC_HD uint32_t number_of(std::int64_t t, uint32_t root) const { return arrays.parent[t * Shape::most_runs + root]; }

    VOXCC_HD void find_slot(Shared& shared, uint32_t root, uint32_t number) const {
        shared.slot[root] = no_slot;
        if (number & whole) return;
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
        if (column >= held) return add_to_table(place, number_of(place.tile, column) & ~whole, part);
        VOXCC_UNROLL
        for (int w = 0; w < Part::words; ++w) {
            if (w < Part::sums) exec::fetch_add(&shared.sum[w][column], part.word[w]);
            else if (part.word[w]) exec::fetch_or(&shared.sum[w][column], part.word[w]);
        }
    }

    /// A lane's row, or its half of one: what its last root has, and that root's column (none: no voxels). The rest is deposited.
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
        uint32_t column = none, n = 0, x = 0, xx = 0;
        uint64_t met = 0;
        while (voxels) {
            const uint64_t first = voxels & (0 - voxels), go_on = Shape::by_value ? voxels & ~(starts & ~first) : voxels;
            const uint64_t stretch = go_on & ~(go_on + first);  // the sum carries through the lowest stretch
            const uint32_t from = uint32_t(lowest_bit(voxels)), length = uint32_t(count_bits(stretch));
            const int run = shared.first_run[b] + count_bits(starts << (63 - from)) - 1;
            const uint32_t its_column = shared.column_of(shared.root_of_run[run]);
            if (its_column != column && n > 0) {
                deposit(shared, place, column, Part::of_row(n, x, xx, met, y, z));
                n = x = xx = 0, met = 0;
            }
            column = its_column;
            const uint32_t ramp = length * (length - 1) / 2;  // 0 + 1 + .. + (length - 1); the sum of their squares is below
            n += length, x += length * from + ramp;
            xx += length * from * from + 2 * from * ramp + ramp * (2 * length - 1) / 3;
            met |= stretch;
            voxels &= ~stretch;
        }
        return {column, Part::of_row(n, x, xx, met, y, z)};
    }

    /// Sends what was added up under a root's column to the table; rows of components that lie in this tile alone go by way of `staged`.
    VOXCC_HD void send(Shared& shared, const Place& place, uint32_t root, int stage) const {
        shared.stage_number[stage] = 0;
        if (shared.column_of(root) != root) return;
        Part part;
        VOXCC_UNROLL
        for (int w = 0; w < Part::words; ++w) part.word[w] = shared.sum[w][root];
        const uint32_t number = number_of(place.tile, root);
        if (!(number & whole)) return add_to_table(place, number, part);
        shared.stage_number[stage] = number & ~whole;
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
        tile.each([&](int lane) {
            for (int r = lane; r < Shape::words; r += lanes) shared.row[r] = arrays.rows[t * Shape::words + r];
            if (lane < block_rows) shared.first_run[lane] = arrays.first_run[t * block_rows + lane];
            for (int i = lane; i < runs; i += lanes) shared.root_of_run[i] = arrays.root_of_run[t * Shape::most_runs + i];
            for (int s = lane; s < slots; s += lanes) shared.number[s] = 0;
            for (int k = lane; k < columns_here; k += lanes) {
                VOXCC_UNROLL
                for (int w = 0; w < Part::words; ++w) shared.sum[w][k] = 0;
            }
        });
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
