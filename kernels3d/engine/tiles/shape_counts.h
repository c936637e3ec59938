// Phase "shape": the numbers of neighbouring pairs and the Euler number of every component (voxcc/shape.h).
//
// Each lane counts the voxels of a word with their 13 earlier neighbours, by the bit logic of simd/shape_words.h. For this logic, a
// neighbour counts only if it belongs to the component of the voxel. With 26 (8) neighbours and Rule::foreground, all neighbours do, so
// bits are sufficient. Else, a word whose neighbourhood contains one label needs only bits, and other words compare labels.
//
// The counts of a warp are combined, then added up in shared memory per component. As in sums.h, the first components have several rows
// in the table.
#pragma once
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/neighbour_labels.h"
#include "kernels3d/engine/tiles/tile_sums.h"
#include "kernels3d/simd/shape_words.h"

#include <functional>

namespace voxcc::block_runs::tiles {

/// The counts of a component. No direction has more pairs than the component has voxels, and a volume has fewer than 2^32.
struct ShapeRow {
    static constexpr int directions = 13;
    uint32_t pairs[directions];
    uint32_t unused;
    uint64_t euler;  // modulo 2^64
};
static_assert(sizeof(ShapeRow) == 64);

/// The counts of one component in one tile. Words can be added up by warp instructions.
struct ShapePart {
    static constexpr int words = 8, sums = words;
    uint32_t word[words];  // two directions per word, 16 bits each: a tile has at most 2^14 voxels; the last word is the Euler number

    /// @param bits result of shape_bits()
    /// @param set columns that are counted
    template <Cells cells>
    VOXCC_HD static ShapePart of(const uint32_t (&bits)[shape_counters<cells>], uint32_t set) {
        uint32_t total[shape_counters<cells>];
        VOXCC_UNROLL
        for (int c = 0; c < shape_counters<cells>; ++c) total[c] = uint32_t(count_bits(bits[c] & set));
        ShapePart part;
        VOXCC_UNROLL
        for (int d = 0; d < ShapeRow::directions; d += 2)
            part.word[d / 2] = total[d] | (d + 1 < ShapeRow::directions ? total[d + 1] << 16 : 0);
        part.word[words - 1] = euler_of_totals<cells>(total);
        return part;
    }
    VOXCC_HD void add(const ShapePart& other) {
        VOXCC_UNROLL
        for (int w = 0; w < words; ++w) word[w] += other.word[w];
    }
    VOXCC_HD static uint32_t pairs_in(uint32_t word, int direction) { return word >> direction % 2 * 16 & 0xffff; }
};

/// The rows of all components, entry k - 1 for number k, and additional rows of the first components: [copies][spare].
struct ShapeRows {
    static constexpr uint32_t copies = 32, most_spare = 1024;
    static constexpr int words_per_row = ShapeRow::directions + 1;
    ShapeRow* rows;
    uint32_t components, spare;

    static uint32_t spare_of(uint32_t components) { return std::min(components, most_spare); }
    static int64_t rows_for(uint32_t components) { return int64_t(components) + int64_t(spare_of(components)) * copies; }
    VOXCC_HD ShapeRow& row(uint32_t number, std::int64_t tile) const {
        if (number > spare) return rows[number - 1];
        return rows[components + uint32_t(tile) % copies * spare + number - 1];
    }
    /// Adds word w of a part: the pairs of direction w, or the Euler number.
    VOXCC_HD static void add_word(ShapeRow& to, int w, uint32_t count) {
        if (count == 0) return;
        if (w < ShapeRow::directions) exec::fetch_add(to.pairs + w, count);
        else exec::fetch_add(&to.euler, uint64_t(std::int64_t(std::int32_t(count))));
    }
};

/// Adds the additional rows of a component to its row. Each call adds one count.
struct AddSpareShapes {
    ShapeRows table;
    VOXCC_HD void operator()(int64_t i) const {
        const int64_t component = i / ShapeRows::words_per_row;
        const int w = int(i % ShapeRows::words_per_row);
        ShapeRow& to = table.rows[component];
        for (uint32_t copy = 0; copy < ShapeRows::copies; ++copy) {
            const ShapeRow& from = table.rows[table.components + copy * table.spare + component];
            if (w < ShapeRow::directions) to.pairs[w] += from.pairs[w];
            else to.euler += from.euler;
        }
    }
};

/// Bits of the rows around a tile, for labellings in which neighbouring voxels have the same label.
template <class Shape>
struct NeighbourBits {
    using Rows = PaddedRows<Shape>;
    static constexpr int held = 1024;  // runs of the tile whose labels are in shared memory
    uint64_t bits[Rows::count];
    std::uint8_t sides[Rows::count];  // bit 0: the voxel before the row, bit 1: the voxel after it
    uint32_t last_column;
    uint64_t starts[block_rows];  // columns in which runs start
    uint16_t first_run[block_rows];
    uint32_t label[held];
};

/// Phase functor.
template <Connectivity K, Rule R>
struct CountShapes {
    using Shape = TileShape<K, R>;
    using Rows = PaddedRows<Shape>;
    static constexpr Cells cells = cells_of(K);
    static constexpr bool compares = R == Rule::equal_values || cells != Cells::closed;
    using Neighbours = std::conditional_t<compares, NeighbourLabels<Shape>, NeighbourBits<Shape>>;
    static constexpr int rows = Shape::rows, lanes = rows < 128 ? 128 : rows, lanes_per_row = lanes / rows, slots = 256;
    static constexpr int resident = (cells == Cells::split ? 768 : 1024) / lanes;  // more lanes need more registers than there are
    static constexpr int counters = shape_counters<cells>;
    static constexpr uint32_t none = 0;  // no component: numbers start at 1

    struct Shared {
        Neighbours of;
        TileSums<uint32_t, ShapePart::words, slots> sums;  // by number
    };

    TileArrays arrays;
    Axes periodic;
    const uint32_t* final_numbers;  // see LabelsOfTile
    ShapeRows table;

    VOXCC_HD LabelsOfTile<Shape> labels() const { return {arrays, periodic, final_numbers}; }

    VOXCC_HD void load(Shared& shared, uint32_t tile, int lane) const {
        shared.sums.clear(lane, lanes);
        if constexpr (compares) {
            labels().load(shared.of, tile, lane, lanes);
        } else {
            const Surroundings<Shape> around(arrays, tile, periodic);
            for (int i = lane; i < Rows::count; i += lanes) {
                const RowOfTile at = around.row(i);
                uint32_t left = 0, right = 0;
                if (at.tile != no_tile && around.left_tile != no_tile)
                    left = around.word(around.beside(at.tile, around.left_tile), at.row) >> around.left_column & 1;
                if (at.tile != no_tile && around.right_tile != no_tile)
                    right = around.word(around.beside(at.tile, around.right_tile), at.row) & 1;
                shared.of.bits[i] = at.tile == no_tile ? 0 : around.word(at.tile, at.row);
                shared.of.sides[i] = std::uint8_t(left | right << 1);
            }
            if (lane == 0) shared.of.last_column = around.last_column;
            if (lane < block_rows) {
                shared.of.starts[lane] = starts_of<Shape>(arrays.rows + int64_t(tile) * Shape::words, lane);
                shared.of.first_run[lane] = arrays.first_run[tile * block_rows + uint32_t(lane)];
            }
            const int runs = arrays.counts[tile].runs();
            for (int run = lane; run < runs && run < Neighbours::held; run += lanes)
                shared.of.label[run] = labels().label_of_run(tile, uint32_t(run));
        }
    }

    /// 32 columns of a row, from column `from` on, of which all voxels count.
    VOXCC_HD static ThreeColumns<uint32_t> columns_of(const Neighbours& of, int row, int from) {
        const uint64_t here = of.bits[row];
        uint64_t left, right;
        if constexpr (compares) {
            left = LabelsOfTile<Shape>::moved(of, row, -1), right = LabelsOfTile<Shape>::moved(of, row, 1);
        } else {
            left = here << 1 | (of.sides[row] & 1u), right = here >> 1 | uint64_t(of.sides[row] >> 1) << of.last_column;
        }
        return {uint32_t(left >> from), uint32_t(here >> from), uint32_t(right >> from)};
    }
    VOXCC_HD static ShapeWords<uint32_t> all_words(const Neighbours& of, int row, int from) {
        ShapeWords<uint32_t> words{};
        words.own = columns_of(of, row, from);
        words.before = columns_of(of, row - 1, from);
        if constexpr (cells == Cells::split) words.after = columns_of(of, row + 1, from);
        if constexpr (Shape::crosses_slices) {
            words.below = columns_of(of, row - Rows::in_y, from);
            words.below_before = columns_of(of, row - Rows::in_y - 1, from);
            words.below_after = columns_of(of, row - Rows::in_y + 1, from);
        }
        return words;
    }

    /// Whether a row has one label, and no other label occurs around it.
    VOXCC_HD static bool one_label(const Neighbours& of, int row) {
        const uint32_t label = of.common[row];
        const auto differs = [&](int other) { return of.common[other] != 0 && of.common[other] != label; };
        if (label == Neighbours::several || differs(row - 1) || differs(row + 1)) return false;
        if constexpr (!Shape::crosses_slices) return true;
        else return !differs(row - Rows::in_y) && !differs(row - Rows::in_y - 1) && !differs(row - Rows::in_y + 1);
    }
    /// Columns in which a voxel of `row` and the voxel of `other`, moved by `step`, have the same label. Not inline, because it is called
    /// many times.
    [[gnu::noinline]] VOXCC_HD uint32_t equal(const Neighbours& of, int row, int other, int step, int from) const {
        uint64_t found = 0;
        const uint64_t own = of.bits[row] & (uint64_t{~uint32_t{0}} << from);
        labels().compare(of, row, own, other, step, [&](uint64_t set, uint32_t a, uint32_t b) { found |= a == b ? set : 0; });
        return uint32_t(found >> from);
    }
    VOXCC_HD ThreeColumns<uint32_t> equal_columns(const Neighbours& of, int row, int other, int from) const {
        return {equal(of, row, other, -1, from), equal(of, row, other, 0, from), equal(of, row, other, 1, from)};
    }
    VOXCC_HD ShapeWords<uint32_t> equal_words(const Neighbours& of, int row, int from) const {
        ShapeWords<uint32_t> words{};
        words.own.left = equal(of, row, row, -1, from);
        words.before = equal_columns(of, row, row - 1, from);
        if constexpr (cells == Cells::split) {
            words.own.right = equal(of, row, row, 1, from);
            words.after = equal_columns(of, row, row + 1, from);
        }
        if constexpr (Shape::crosses_slices) {
            words.below = equal_columns(of, row, row - Rows::in_y, from);
            words.below_before = equal_columns(of, row, row - Rows::in_y - 1, from);
            words.below_after = equal_columns(of, row, row - Rows::in_y + 1, from);
        }
        return words;
    }

    /// A row of the tile.
    struct Row {
        int row, padded;
        uint64_t starts;  // columns in which runs start
    };
    VOXCC_HD static Row row_at(const Neighbours& of, int row) {
        const int padded = Rows::at(Shape::row_y(row), Shape::row_z(row));
        return {row, padded, of.starts[compares ? padded : row / Shape::depth]};
    }
    VOXCC_HD uint32_t number_at(const Shared& shared, uint32_t tile, const Row& row, int column) const {
        if constexpr (compares) {
            return labels().label_at(shared.of, row.padded, column);
        } else {
            const uint32_t run = shared.of.first_run[row.row / Shape::depth] + uint32_t(count_bits(row.starts << (63 - column))) - 1;
            return run < uint32_t(Neighbours::held) ? shared.of.label[run] : labels().label_of_run(tile, run);
        }
    }

    VOXCC_HD void deposit(Shared& shared, std::int64_t tile, uint32_t number, const ShapePart& part) const {
        if (shared.sums.add(number, part.word)) return;
        ShapeRow& to = table.row(number, tile);
        VOXCC_UNROLL
        for (int d = 0; d < ShapeRow::directions; ++d) ShapeRows::add_word(to, d, ShapePart::pairs_in(part.word[d / 2], d));
        ShapeRows::add_word(to, ShapeRow::directions, part.word[ShapePart::words - 1]);
    }

    /// The counts of the last component of a lane. The counts of earlier components are deposited.
    struct Counted {
        uint32_t number = none;
        ShapePart part{};
    };
    /// Counts 32 columns of a row.
    VOXCC_HD void count_half(Shared& shared, uint32_t tile, const Row& row, int from, Counted& counted) const {
        uint32_t rest = uint32_t(shared.of.bits[row.padded] >> from), bits[counters];
        if (rest == 0) return;
        bool is_one_label = arrays.counts[tile].roots() == 1;
        if constexpr (compares) is_one_label = one_label(shared.of, row.padded);
        if constexpr (compares) {
            shape_bits<cells>(is_one_label ? all_words(shared.of, row.padded, from) : equal_words(shared.of, row.padded, from), rest, bits);
        } else {
            shape_bits<cells>(all_words(shared.of, row.padded, from), rest, bits);
        }
        do {
            uint32_t number = number_at(shared, tile, row, from + lowest_bit(rest)), set = rest;
            if (!is_one_label) {
                set = 0;
                do {
                    const uint32_t first = rest & (0 - rest), goes_on = rest & ~(uint32_t(row.starts >> from) & ~first);
                    const uint32_t stretch = goes_on & ~(goes_on + first);  // the addition carries through the lowest stretch
                    set |= stretch;
                    rest &= ~stretch;
                } while (rest != 0 && number_at(shared, tile, row, from + lowest_bit(rest)) == number);
            } else {
                rest = 0;
            }
            const ShapePart part = ShapePart::of<cells>(bits, set);
            if (number == counted.number) {
                counted.part.add(part);
            } else {
                if (counted.number != none) deposit(shared, tile, counted.number, counted.part);
                counted.number = number, counted.part = part;
            }
        } while (rest != 0);
    }
    VOXCC_HD Counted count_lane(Shared& shared, uint32_t tile, int lane) const {
        const int row = lane / lanes_per_row;
        Counted counted;
        if (!Surroundings<Shape>(arrays, tile, periodic).contains(Shape::row_y(row), Shape::row_z(row))) return counted;
        const Row its = row_at(shared.of, row);
        constexpr int width = columns / lanes_per_row;
        const int first = lane % lanes_per_row * width;
        VOXCC_NO_UNROLL
        for (int from = first; from < first + width; from += 32) count_half(shared, tile, its, from, counted);
        return counted;
    }

    /// Adds the sums of the tile to the table.
    VOXCC_HD void send(const Shared& shared, std::int64_t tile, int lane) const {
        constexpr int words = 16;  // 14 counts, then nothing
        const int end = int(shared.sums.used) * words;
        for (int i = lane; i < end; i += lanes) {
            const int slot = shared.sums.slot[i / words], w = i % words;
            if (w > ShapeRow::directions) continue;
            const uint32_t count = w < ShapeRow::directions ? ShapePart::pairs_in(shared.sums.sum[w / 2][slot], w)
                                                            : shared.sums.sum[ShapePart::words - 1][slot];
            ShapeRows::add_word(table.row(shared.sums.key[slot], tile), w, count);
        }
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        Shared& shared = tile.shared;
        if (arrays.counts[t].runs() == 0) return;
        tile.each([&](int lane) { load(shared, uint32_t(t), lane); });
        typename Tile::template PerLane<uint32_t> number;
        typename Tile::template PerLane<ShapePart> part;
        tile.each([&](int lane) {
            const Counted counted = count_lane(shared, uint32_t(t), lane);
            number[lane] = counted.number;
            part[lane] = counted.part;
        });
        tile.combine(number, part, none, [&](uint32_t key, const ShapePart& sum) { deposit(shared, t, key, sum); });
        tile.each([&](int lane) { send(shared, t, lane); });
    }
};

/// The rows of all components in the memory of the executor, entry k - 1 for number k; more rows follow. Not inline, so that its instances
/// can be compiled in another file.
/// @param final_numbers see LabelsOfTile; no number of a component may be 0
/// @param components the largest final number
template <Connectivity K, Rule R, class Executor>
exec::Array<ShapeRow> count_shapes(Executor& executor, const TileArrays& arrays, Axes periodic, const uint32_t* final_numbers,
                                   uint32_t components) {
    exec::Array<ShapeRow> rows(executor.memory(), ShapeRows::rows_for(components));
    const ShapeRows table{rows.data(), components, ShapeRows::spare_of(components)};
    auto* const words = reinterpret_cast<uint64_t*>(rows.data());
    executor.for_each("shape", rows.size() * int64_t(sizeof(ShapeRow) / sizeof(uint64_t)), ClearWords{words});
    using Phase = CountShapes<K, R>;
    executor.template for_each_tile<Phase::lanes, typename Phase::Shared>("shape", arrays.tiles.cells(),
                                                                          Phase{arrays, periodic, final_numbers, table});
    executor.for_each("shape", int64_t(table.spare) * ShapeRows::words_per_row, AddSpareShapes{table});
    return rows;
}

/// Copies the rows to the host and calls add(row, counts) for each component.
template <class Executor>
void take_shapes(Executor& executor, const exec::Array<ShapeRow>& rows, uint32_t components,
                 const std::function<void(std::uint64_t, const ShapeCounts&)>& add) {
    if (components == 0) return;
    std::vector<ShapeRow> counted(components);
    executor.download("download", rows, components, counted.data());
    for (std::size_t k = 0; k < counted.size(); ++k) {
        ShapeCounts counts;
        std::copy_n(counted[k].pairs, ShapeRow::directions, counts.pairs.begin());
        counts.euler = std::int64_t(counted[k].euler);
        add(k, counts);
    }
}

}  // namespace voxcc::block_runs::tiles
