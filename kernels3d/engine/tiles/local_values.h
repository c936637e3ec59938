// Phase "local" for rules that compare values: labels every tile on its own, from voxels to roots.
//
// Neighbouring lanes compare neighbouring voxels of a row with the voxels to the left and in the rows before. A vote of 32 lanes gives
// half a word. The rest is bit logic on words of 64 columns, and the union-find of local_forest.h.
#pragma once
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/local_forest.h"
#include "kernels3d/engine/tiles/values.h"

#include <algorithm>

namespace voxcc::block_runs::tiles {

/// Phase functor.
/// @tparam Listed limit for the number of pairs in the list of a tile
/// @tparam Rows ValueRows of a rule
template <Connectivity K, class Rows, int Listed = 2048>
struct LocalValues {
    using Shape = TileShape<K, Rule::equal_values>;
    using Value = typename Rows::Value;
    using Joins = typename Rows::Joins;
    static constexpr int relations = Shape::relations, slanted = slanted_relations<K>, rows = block_rows;
    static constexpr int lanes = std::max(128, rows*relations), resident = 4;

    /// Index of the words that the comparisons of a row give.
    ///   0                       equals the voxel in the column to the left
    ///   1 + relation            equals the voxel in the same column of the row before
    ///   of_left + 2 * relation, and the next   other_left, own_left (values.h)
    static constexpr int of_left = 1 + relations, words = of_left + 2 * slanted;

    struct Shared : LocalForest<Shape, Listed> {
        uint64_t row[Shape::words];  // foreground of each row, then the columns in which runs start
        union {
            uint64_t equal[words][rows];  // 0 if the row before is not in the tile
            uint32_t half[words][rows * 2];
        };
    };
    using Events = ValueEvents;

    TileArrays arrays;
    Rows source;

    /// Compares one voxel; bit j of the result belongs to word j. Background voxels are compared, too, if their row has any foreground.
    VOXCC_HD uint32_t compare_voxel(const Shared& shared, int row, int column, const exec::Cell& corner) const {
        const uint32_t x = corner.x + uint32_t(column), y = corner.y + uint32_t(Shape::row_y(row)),
                       z = corner.z + uint32_t(Shape::row_z(row));
        if (shared.row[row] == 0 || x >= source.size.x) return 0;
        const Value* const own = source.at(x, y, z);
        const int left = column > 0;
        uint32_t bits = source.joins.connect(*own, own[-left]);
        VOXCC_UNROLL
        for (int r = 0; r < relations; ++r) {
            const auto which = Before(r);
            const Partner partner = partner_in_tile<Shape>(row, which);
            if (!partner.inside || shared.row[partner.block_row] == 0) continue;
            const uint32_t equal = compare(source.joins, own, source.at(x, y + uint32_t(step_y(which)), z + uint32_t(step_z(which))), left);
            bits |= (equal & 1) << (1 + r);
            if (r < slanted) bits |= (equal >> 1) << (of_left + 2 * r);
        }
        return bits;
    }

    VOXCC_HD static EqualColumns equal_columns(const Shared& shared, int row, int relation) {
        EqualColumns equal{shared.equal[1 + relation][row], 0, 0};
        if (relation < slanted) {
            equal.other_left = shared.equal[of_left + 2 * relation][row];
            equal.own_left = shared.equal[of_left + 2 * relation + 1][row];
        }
        return equal;
    }
    /// Clears the columns of background in the words of a row and one row before it.
    VOXCC_HD static void keep_foreground(Shared& shared, int row, int relation) {
        const Partner partner = partner_in_tile<Shape>(row, Before(relation));
        const EqualColumns equal =
            equal_columns(shared, row, relation).of_foreground(shared.row[row], partner.inside ? shared.row[partner.block_row] : 0);
        shared.equal[1 + relation][row] = equal.same;
        if (relation < slanted) {
            shared.equal[of_left + 2 * relation][row] = equal.other_left;
            shared.equal[of_left + 2 * relation + 1][row] = equal.own_left;
        }
    }

    /// Columns in which a row and a row before it are joined over other rows: over the other sides of a square of rows.
    /// @param same columns in which the two rows are equal
    VOXCC_HD static uint64_t bridged(const Shared& shared, int row, Before which, uint64_t same) {
        if (relations == 1 || which == Before::before) return 0;
        const uint64_t* const before = shared.equal[1];
        const uint64_t* const below = shared.equal[relations > 1 ? 2 : 0];
        if constexpr (Joins::transitive) {  // two equal sides and the diagonal imply the other sides
            switch (which) {
                case Before::below: return same & before[row] & before[row - Shape::blocks_y];
                case Before::below_before: return same & (before[row] | below[row]);
                default: return same & (before[row + 1] | below[row]);
            }
        } else {
            const int under = row - Shape::blocks_y;
            switch (which) {
                case Before::below: return before[row] == 0 ? 0 : before[row] & below[row - 1] & before[under];
                case Before::below_before: return (before[row] & below[row - 1]) | (below[row] & before[under]);
                default: return (before[row + 1] & below[row + 1]) | (below[row] & before[under + 1]);
            }
        }
    }

    /// Events of the row of a lane and one row before it; none for lanes without such a pair.
    VOXCC_HD Events events(const Shared& shared, int lane) const {
        const int row = lane % rows, relation = lane / rows;
        if (relation >= relations) return {};
        const Partner partner = partner_in_tile<Shape>(row, Before(relation));
        if (!partner.inside) return {};
        const EqualColumns equal = equal_columns(shared, row, relation);
        const int other = partner.block_row;
        return Events::template of<Joins>(equal, bridged(shared, row, Before(relation), equal.same),
                                          {shared.row[row], shared.row[other], shared.row[rows + row], shared.row[rows + other]});
    }
    template <class Use>
    VOXCC_HD static void for_each_pair_of(const Shared& shared, int lane, const Events& events, const Use& use) {
        const int row = lane % rows, other = partner_in_tile<Shape>(row, Before(lane / rows)).block_row;
        events.for_each({shared.row[rows + row], shared.row[rows + other], shared.first_run[row], shared.first_run[other]}, use);
    }

    /// Runs are numbered in raster order. So the first voxel of a root is the first voxel of its first run.
    VOXCC_HD static void find_first_voxels(Shared& shared, int lane) {
        for (int voxel = lane; voxel < rows * columns; voxel += lanes) {
            const int row = voxel / columns, column = voxel % columns;
            const uint64_t starts = shared.row[rows + row];
            if ((starts >> column & 1) == 0) continue;
            const uint32_t run = shared.first_run[row] + uint32_t(count_bits(starts & columns_before(column)));
            if (shared.root[run] == run) shared.first_voxel()[shared.rank(run)] = uint32_t(voxel);
        }
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        Shared& shared = tile.shared;
        const exec::Cell place = arrays.place(uint32_t(t));
        const exec::Cell corner{place.x * columns, place.y * Shape::size_y, place.z * Shape::size_z};
        const bool empty = !tile.any([&](int lane) {
            if (lane >= rows) return false;
            const uint32_t y = corner.y + uint32_t(Shape::row_y(lane)), z = corner.z + uint32_t(Shape::row_z(lane));
            shared.row[lane] = y < source.size.y && z < source.size.z ? source.columns_at(place.x, y, z) : 0;
            return shared.row[lane] != 0;
        });
        if (!empty) {
            constexpr int at_once = lanes / 32;
            for (int first = 0; first < rows * 2; first += at_once)
                tile.template transpose<words>(
                    [&](int lane) {
                        const int half = first + lane / 32;
                        return compare_voxel(shared, half / 2, half % 2 * 32 + lane % 32, corner);
                    },
                    [&](int lane, uint32_t bits) { shared.half[lane % 32][first + lane / 32] = bits; });
        }
        tile.scan64(
            shared.first_run,
            [&](int row) {
                const uint64_t own = shared.row[row];
                const uint64_t starts = shared.row[rows + row] = empty ? 0 : own & ~(shared.equal[0][row] & own << 1);
                return uint32_t(count_bits(starts));
            },
            [](int) {});
        tile.each([&](int lane) {
            if (!empty && lane < rows * relations) keep_foreground(shared, lane % rows, lane / rows);
            for (int w = lane; w < Shape::words; w += lanes) arrays.rows[t * Shape::words + w] = shared.row[w];
            shared.begin(shared.first_run[block_rows], lane, lanes);
        });
        unite_in_tile<Shape>(tile, *this, t, corner);
    }
};

}  // namespace voxcc::block_runs::tiles
