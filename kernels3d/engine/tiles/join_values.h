// Phase "join" for rules that compare values: unites runs with connected values that touch across the faces of tiles, in the forest of
// join.h.
//
//   faces in y and z   rows whose partner lies in another tile of the same columns, compared as in local_values.h
//   face in x          column 0 of a tile and column 63 of the tiles to the left, voxel by voxel
#pragma once
#include "kernels3d/engine/tiles/join.h"
#include "kernels3d/engine/tiles/values.h"

namespace voxcc::block_runs::tiles {

/// Phase functor.
/// @tparam Listed number of pairs for which the list has room
/// @tparam Rows ValueRows of a rule
template <Connectivity K, class Rows, int Listed = 1024>
struct JoinValues : JoinedRuns<TileShape<K, Rule::equal_values>, Listed> {
    using Shape = TileShape<K, Rule::equal_values>;
    using Base = JoinedRuns<Shape, Listed>;
    using Value = typename Rows::Value;
    using Joins = typename Rows::Joins;
    using Base::arrays;
    using Sides = Faces<Shape>;
    static constexpr int lanes = 128, resident = 8, rows = block_rows;
    static constexpr int words = slanted_relations<K> > 0 ? 3 : 1;  // per pair of rows: same, other_left, own_left

    struct Shared : Base::List {
        union {
            uint64_t equal[words][Sides::tasks];
            uint32_t half[words][Sides::tasks * 2];
        };
    };

    Rows source;

    VOXCC_HD const uint64_t* row_of(uint32_t tile, int row) const { return arrays.rows + int64_t(tile) * Shape::words + row; }

    /// Compares one voxel of a row at a face in y or z with the row on the other side.
    VOXCC_HD uint32_t compare_voxel(const typename Sides::Task& task, int column, uint32_t tile, const exec::Cell& place) const {
        const auto there = Sides::other(task, arrays, place);
        const uint32_t x = place.x * columns + uint32_t(column);
        if (!there.inside || x >= source.size.x) return 0;
        if (*row_of(tile, task.block_row) == 0 || *row_of(there.tile, there.block_row) == 0) return 0;
        const uint32_t y = place.y * Shape::size_y + uint32_t(Shape::row_y(task.block_row));
        const uint32_t z = place.z * Shape::size_z + uint32_t(Shape::row_z(task.block_row));
        const uint32_t equal = compare(source.joins, source.at(x, y, z),
                                       source.at(x, y + uint32_t(step_y(task.which)), z + uint32_t(step_z(task.which))), column > 0);
        return int(task.which) < slanted_relations<K> ? equal : equal & 1;
    }

    /// Lists the pairs of a row at a face in y or z.
    VOXCC_HD void join_rows(Shared& shared, int number, uint32_t tile, const exec::Cell& place) const {
        const auto task = Sides::task(number);
        const auto there = Sides::other(task, arrays, place);
        if (!there.inside) return;
        EqualColumns equal{shared.equal[0][number], 0, 0};
        if constexpr (words == 3) equal.other_left = shared.equal[1][number], equal.own_left = shared.equal[2][number];
        const uint64_t *const own = row_of(tile, task.block_row), *const other = row_of(there.tile, there.block_row);
        RunsOfTwo runs{own[rows], other[rows], 0, 0};
        const ValueEvents events =
            ValueEvents::of<Joins>(equal.of_foreground(*own, *other), 0, {*own, *other, runs.starts_a, runs.starts_b});
        if (events.count() == 0) return;
        runs.first_a = this->first_run_at(tile, task.block_row);
        runs.first_b = this->first_run_at(there.tile, there.block_row);
        const uint32_t at = exec::fetch_add(&shared.pairs, events.count());
        events.for_each(runs, [&](uint32_t i, uint32_t a, uint32_t b) { this->list(shared, at + i, a, b); });
    }

    /// A position that may lie outside the volume; coordinates below 0 wrap to values past the end.
    struct Voxel {
        uint32_t x, y, z;
    };
    /// Whether a voxel is inside the volume, foreground, and connected to a value.
    VOXCC_HD bool connects(const Voxel& v, Value value) const {
        if (v.x >= source.size.x || v.y >= source.size.y || v.z >= source.size.z) return false;
        return (source.columns_at(v.x / columns, v.y, v.z) >> v.x % columns & 1) != 0 &&
               source.joins.connect(*source.at(v.x, v.y, v.z), value);
    }
    /// Whether two voxels that are connected to one value are connected to each other.
    VOXCC_HD bool connects(const Voxel& a, const Voxel& b) const {
        if constexpr (Joins::transitive) return true;
        else return source.joins.connect(*source.at(a.x, a.y, a.z), *source.at(b.x, b.y, b.z));
    }
    /// Whether a path from a voxel over two other voxels leads to the voxel `end`, which is connected to it.
    /// @param value of the first voxel
    VOXCC_HD bool leads(Value value, const Voxel& first, const Voxel& second, const Voxel& end) const {
        if constexpr (Joins::transitive) return connects(first, value) && connects(second, value);
        else return connects(first, value) && connects(second, *source.at(first.x, first.y, first.z)) && connects(second, end);
    }

    static constexpr int steps = Shape::crosses_slices ? 9 : 3;
    /// Lists the pair of the first voxel of a row and the voxel to its left at (dy, dz), if the rule connects the two. Leaves out a pair
    /// that other contacts join: the contact of the row before in the tile, or a voxel beside one of the two.
    VOXCC_HD void join_first_voxel(Shared& shared, int task, uint32_t tile, const exec::Cell& place) const {
        const int row = task % rows, step = task / rows, dy = step % 3 - 1, dz = steps == 9 ? step / 3 - 1 : 0;
        if (!is_neighbour(K, 1, dy, dz) || (*row_of(tile, row) & 1) == 0) return;
        const int in_y = Shape::row_y(row), in_z = Shape::row_z(row);
        const Voxel own{place.x * columns, place.y * Shape::size_y + uint32_t(in_y), place.z * Shape::size_z + uint32_t(in_z)};
        const Voxel left{own.x - 1, own.y + uint32_t(dy), own.z + uint32_t(dz)};
        const Value value = *source.at(own.x, own.y, own.z);
        if (!connects(left, value)) return;
        if (dy != 0 || dz != 0) {
            const Voxel beside_left{left.x, own.y, own.z}, beside_own{own.x, left.y, left.z};
            if (connects(beside_left, value) && connects(beside_left, left)) return;
            if (connects(beside_own, value) && connects(beside_own, left)) return;
        } else {
            if (in_y > 0 && leads(value, {own.x, own.y - 1, own.z}, {left.x, own.y - 1, own.z}, left)) return;
            if (in_z > 0 && leads(value, {own.x, own.y, own.z - 1}, {left.x, own.y, own.z - 1}, left)) return;
        }
        const uint32_t left_tile = arrays.tile_at({place.x - 1, left.y / Shape::size_y, left.z / Shape::size_z});
        const int left_row = Shape::row_at(int(left.y % Shape::size_y), int(left.z % Shape::size_z));
        this->list(shared, exec::fetch_add(&shared.pairs, 1), this->first_run_at(tile, row), this->last_run_at(left_tile, left_row));
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        Shared& shared = tile.shared;
        if (arrays.counts[t].runs() == 0) return;
        const exec::Cell place = arrays.place(uint32_t(t));
        tile.each([&](int lane) {
            if (lane == 0) shared.pairs = 0;
        });
        constexpr int halves = Sides::tasks * 2, at_once = lanes / 32;
        for (int first = 0; first < halves; first += at_once)
            tile.template transpose<words>(
                [&](int lane) {
                    const int half = first + lane / 32;
                    return half < halves ? compare_voxel(Sides::task(half / 2), half % 2 * 32 + lane % 32, uint32_t(t), place) : 0;
                },
                [&](int lane, uint32_t bits) {
                    if (first + lane / 32 < halves) shared.half[lane % 32][first + lane / 32] = bits;
                });
        tile.each([&](int lane) {
            for (int task = lane; task < Sides::tasks; task += lanes) join_rows(shared, task, uint32_t(t), place);
            if (place.x == 0) return;
            for (int task = lane; task < rows * steps; task += lanes) join_first_voxel(shared, task, uint32_t(t), place);
        });
        this->template unite_listed<lanes>(tile, &shared);
    }
};

}  // namespace voxcc::block_runs::tiles
