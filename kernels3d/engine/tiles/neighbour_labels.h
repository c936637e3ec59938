// The labels of the voxels of a tile and of the voxels around it, as runs in shared memory. Phases that compare neighbouring labels use it.
//
// Two rows are compared by stretches: in a stretch of columns, each row has one label. A row whose labels are all equal is compared with
// another such row at once.
#pragma once
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/padded_rows.h"

namespace voxcc::block_runs::tiles {

/// Data in shared memory. Arrays are indexed by PaddedRows.
template <class Shape>
struct NeighbourLabels {
    using Rows = PaddedRows<Shape>;
    static constexpr int held = 16;  // runs per row whose labels are in shared memory
    static constexpr uint32_t several = ~uint32_t{0};

    uint64_t bits[Rows::count];
    uint64_t starts[Rows::count];                    // columns in which runs start; a run can contain columns that are not set in `bits`
    uint32_t first[Rows::count];                     // tile * most runs + number of the first run
    uint32_t label[Rows::count][held];               // of the first runs
    uint32_t left[Rows::count], right[Rows::count];  // labels of the voxels beside the row; 0: background
    uint32_t common[Rows::count];                    // the label of the row and of the voxels beside it; 0: no voxel; or `several`
    uint32_t last_column;                            // the column before `right`
};

/// Reads and compares the labels.
template <class Shape>
struct LabelsOfTile {
    using Held = NeighbourLabels<Shape>;
    using Rows = PaddedRows<Shape>;

    TileArrays arrays;
    Axes periodic;
    const uint32_t* final_numbers;  // by number, 0: background; null: numbers are the labels

    VOXCC_HD uint32_t label_of_run(uint32_t tile, uint32_t run) const {
        const uint32_t number = number_of_run<Shape>(arrays, tile, run);
        return final_numbers ? final_numbers[number] : number;
    }
    VOXCC_HD uint32_t label_of_run(const Held& held, int row, int run) const {
        if (run < Held::held) return held.label[row][run];
        const uint32_t all = held.first[row] + uint32_t(run);
        return label_of_run(all / Shape::most_runs, all % Shape::most_runs);
    }
    VOXCC_HD uint32_t label_at(const Held& held, int row, int column) const {
        return label_of_run(held, row, count_bits(held.starts[row] << (63 - column)) - 1);
    }
    VOXCC_HD static uint32_t joined(uint32_t common, uint32_t label) {
        return label == 0 || common == label ? common : common == 0 ? label : Held::several;
    }

    /// A word of a row and its runs.
    struct Word {
        uint32_t tile;
        uint64_t bits, starts;
        uint32_t first;  // number of the first run
    };
    /// Loads the words of a row and of the rows beside it. Loads that do not depend on each other come first, so that a GPU runs them at
    /// the same time.
    VOXCC_HD void load_words(const Surroundings<Shape>& around, const RowOfTile& at, Word (&words)[3]) const {
        const uint32_t tile_x[3]{around.place.x, around.left_tile, around.right_tile};
        VOXCC_UNROLL
        for (int w = 0; w < 3; ++w) {
            const bool exists = at.tile != no_tile && tile_x[w] != no_tile;
            words[w].tile = exists ? around.beside(at.tile, tile_x[w]) : no_tile;
            words[w].bits = exists ? around.word(words[w].tile, at.row) : 0;
        }
        words[1].bits = words[1].bits >> around.left_column & 1;
        words[2].bits &= 1;
        VOXCC_UNROLL
        for (int w = 0; w < 3; ++w) {
            words[w].starts = words[w].bits == 0 ? 0 : around.starts(words[w].tile, at.row);
            words[w].first = words[w].bits == 0 ? 0 : arrays.first_run[words[w].tile * block_rows + uint32_t(at.row / Shape::depth)];
        }
    }
    VOXCC_HD void load_row(Held& held, const Surroundings<Shape>& around, int i) const {
        Word words[3];
        load_words(around, around.row(i), words);
        const Word &own = words[0], &left = words[1], &right = words[2];
        const int runs = count_bits(own.starts);
        constexpr int at_once = 4;  // labels that are loaded at the same time
        uint32_t labels[at_once];
        VOXCC_UNROLL
        for (int j = 0; j < at_once; ++j) labels[j] = j < runs ? label_of_run(own.tile, own.first + uint32_t(j)) : 0;
        const uint32_t runs_to_left = uint32_t(count_bits(left.starts << (63 - around.left_column)));
        const uint32_t label_to_left = left.bits != 0 ? label_of_run(left.tile, left.first + runs_to_left - 1) : 0;
        const uint32_t label_to_right = right.bits != 0 ? label_of_run(right.tile, right.first) : 0;
        uint32_t common = joined(label_to_left, label_to_right);
        const auto hold = [&](int k, uint32_t label) {
            held.label[i][k] = label;
            common = label == 0 ? Held::several : joined(common, label);
        };
        VOXCC_UNROLL
        for (int j = 0; j < at_once; ++j)
            if (j < runs) hold(j, labels[j]);
        for (int k = at_once; k < runs && k < Held::held; ++k) hold(k, label_of_run(own.tile, own.first + uint32_t(k)));
        if (runs > Held::held) common = Held::several;
        held.bits[i] = own.bits, held.starts[i] = own.starts;
        held.first[i] = own.tile * Shape::most_runs + own.first;
        held.left[i] = label_to_left, held.right[i] = label_to_right, held.common[i] = common;
    }
    VOXCC_HD void load(Held& held, uint32_t tile, int lane, int lanes) const {
        const Surroundings<Shape> around(arrays, tile, periodic);
        if (lane == 0) held.last_column = around.last_column;
        for (int i = lane; i < Rows::count; i += lanes) load_row(held, around, i);
    }

    /// Columns of a row moved by one column: bit p is the voxel at p + step, also if it lies beside the row.
    /// @param step -1, 0 or 1
    VOXCC_HD static uint64_t moved(const Held& held, int row, int step) {
        const uint64_t bits = held.bits[row];
        if (step < 0) return bits << 1 | uint64_t(held.left[row] != 0);
        return step == 0 ? bits : bits >> 1 | uint64_t(held.right[row] != 0) << held.last_column;
    }
    /// Calls use(columns, label in `row`, label in `other`) for the columns p of `own` such that `other` has a voxel at p + step. Labels of
    /// voxels without a final number are 0.
    /// @param own columns of `row`
    /// @param step -1, 0 or 1
    template <class Use>
    VOXCC_HD void compare(const Held& held, int row, uint64_t own, int other, int step, const Use& use) const {
        uint64_t both = own & moved(held, other, step);
        if (both == 0) return;
        const uint32_t common = held.common[row], there = held.common[other];
        if (common != Held::several && there != Held::several) return use(both, common, there);
        uint64_t starts = held.starts[other];
        if (step < 0) {
            starts <<= 1;
            if ((both & 1) != 0) use(uint64_t{1}, label_at(held, row, 0), held.left[other]);
            both &= ~uint64_t{1};
        } else if (step > 0) {
            const uint64_t last = uint64_t{1} << held.last_column;
            starts >>= 1;
            if ((both & last) != 0 && held.right[other] != 0) {
                use(last, label_at(held, row, int(held.last_column)), held.right[other]);
                both &= ~last;
            }
        }
        starts |= held.starts[row];
        while (both != 0) {
            const uint64_t first = both & (0 - both), goes_on = both & ~(starts & ~first);
            const uint64_t stretch = goes_on & ~(goes_on + first);  // the addition carries through the lowest stretch
            const int column = lowest_bit(both);
            use(stretch, label_at(held, row, column), label_at(held, other, column + step));
            both &= ~stretch;
        }
    }
};

}  // namespace voxcc::block_runs::tiles
