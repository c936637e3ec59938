// Rows of sums: what phases "measure" and "paint and measure" add up. A tile adds up its part of each component in 32 bits. The table has
// one row per component in 64 bits.
//
// The first components have several rows, and the tiles take turns in using them: all tiles would wait for the single row of a component
// that lies in all tiles. Such a component contains voxels of the first rows of the volume, so its number is small.
#pragma once
#include <voxcc/measure.h>
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/bits.h"
#include "kernels3d/engine/tiles/shape.h"
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

/// Empties the first *count rows of a table, and the spare rows. Does nothing if the table has fewer rows.
struct EmptyCountedRows {
    static constexpr int64_t indices = 1 << 17;
    EmptyRows empty;
    const uint32_t* count;
    int64_t spare_words;
    VOXCC_HD void operator()(int64_t i) const {
        const int64_t words = *count * EmptyRows::row_words;
        if (words > empty.table_words) return;
        for (int64_t at = i; at < words + spare_words; at += indices) empty(at < words ? at : empty.table_words + at - words);
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
/// The same if there are at most `most` components.
struct AddCountedSpareRows {
    AddSpareRows add;
    const uint32_t* count;
    uint32_t most;
    VOXCC_HD void operator()(int64_t i) const {
        if (*count <= most) add(i);
    }
};

}  // namespace voxcc::block_runs::tiles
