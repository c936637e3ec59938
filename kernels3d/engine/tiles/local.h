// Phase "local": labels every tile on its own, from voxels to roots.
#pragma once
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/contacts.h"
#include "kernels3d/engine/tiles/local_forest.h"

#include <algorithm>

namespace voxcc::block_runs::tiles {

/// Where row k of block-row b of a tile lies in shared memory. Lanes that read the same row of adjacent block-rows use different memory
/// banks, and so do lanes that read all rows of a few block-rows.
template <class Shape>
struct RowsInShared {
    static constexpr int step = block_rows + (Shape::depth == 1 ? 0 : 16 / Shape::depth), words = step * Shape::depth;
    VOXCC_HD static constexpr int at(int b, int k) { return k * step + b; }
    /// Index of row r of the tile (shape.h).
    VOXCC_HD static constexpr int at(int r) { return at(r / Shape::depth, r % Shape::depth); }
};

/// Events at which runs of a block-row touch runs of a block-row before it. Leaves out pairs that other contacts already join.
/// @param own rows of the block-row, in RowsInShared; the other block-row must lie in the same tile
/// @param y number of the block-row in its layer of the tile
/// @param starts columns in which a run of either block-row starts
template <Connectivity K, Before Which>
VOXCC_HD inline uint64_t events_with(const uint64_t* own, int y, uint64_t starts) {
    using Shape = TileShape<K>;
    constexpr Links C = links_of<K>;
    constexpr int depth = Shape::depth, next_y = 1, next_z = Shape::blocks_y, step = RowsInShared<Shape>::step;
    const uint64_t* const other = own + step_y(Which) * next_y + step_z(Which) * next_z;
    if constexpr (Which == Before::before) return pair_events(touching<C.before, depth, step>(own, other), 0, starts);
    if constexpr (Which == Before::below) {
        uint64_t bridged = 0;
        if (y > 0)
            bridged = same_column<C.before, depth, step>(own, own - next_y) &
                      same_column<C.below, depth, step>(own - next_y, other - next_y) &
                      same_column<C.before, depth, step>(other, other - next_y);
        return pair_events(touching<C.below, depth, step>(own, other), bridged, starts);
    }
    if constexpr (Which == Before::below_before) {
        const uint64_t* const before = own - next_y;
        const uint64_t* const below = own - next_z;
        const uint64_t bridged = (same_column<C.before, depth, step>(own, before) & same_column<C.below, depth, step>(before, other)) |
                                 (same_column<C.below, depth, step>(own, below) & same_column<C.before, depth, step>(below, other));
        return pair_events(touching<C.below_before, depth, step>(own, other), bridged, starts);
    }
    if constexpr (Which == Before::below_after) {
        const uint64_t* const after = own + next_y;
        const uint64_t* const below = own - next_z;
        const uint64_t bridged = (same_column<C.before, depth, step>(after, own) & same_column<C.below, depth, step>(after, other)) |
                                 (same_column<C.below, depth, step>(own, below) & same_column<C.before, depth, step>(other, below));
        return pair_events(touching<C.below_after, depth, step>(own, other), bridged, starts);
    }
}

/// Phase functor.
/// @tparam Listed limit for the number of pairs in the list of a tile
template <Connectivity K, class Source, int Listed = TileShape<K>::most_runs>
struct Local {
    using Shape = TileShape<K>;
    using Place = RowsInShared<Shape>;
    static constexpr int relations = Shape::relations, rows = Shape::rows;
    static constexpr int lanes = std::max({block_rows * relations, rows, 128});
    static constexpr int pieces = rows * 4 / lanes, at_once = std::min(pieces, Source::at_once);  // of 16 columns, per lane
    static_assert(pieces % at_once == 0);
    /// The lanes load the same row of these block-rows at a time. A multiple of 8 block-rows: from one time to the next, y and z of a lane
    /// grow by the same steps for all lanes.
    static constexpr int block_rows_at_once = lanes / 4;
    static_assert(block_rows_at_once <= block_rows && block_rows_at_once % 8 == 0);
    /// A GPU processor has shared memory for about 14 tiles of images and 12 tiles of 6 neighbours. Its lanes limit the other tiles.
    static constexpr int most_resident = !Shape::crosses_slices ? 14 : Shape::depth == 1 ? 12 : 2048 / lanes;
    /// Blocks per GPU processor. Many lanes with 32 registers each are faster than fewer lanes with more registers, unless the loaded
    /// voxels need more registers.
    static constexpr int resident = std::min(most_resident, 2048 / lanes) / (at_once * sizeof(typename Source::Raw) > 64 ? 2 : 1);

    struct Shared : LocalForest<Shape, Listed> {
        union {
            uint64_t row[Place::words];
            uint16_t piece[Place::words * 4];
        };
        union {
            uint64_t columns[block_rows];  // OR of the rows of each block-row
            uint16_t columns_piece[block_rows * 4];
        };
    };
    struct Events {
        uint64_t columns;  // event columns, one per pair
        VOXCC_HD uint32_t count() const { return uint32_t(count_bits(columns)); }
    };

    TileArrays arrays;
    Source source;
    int64_t first_tile = 0;  // tile for which the phase is called with i = 0

    /// Loads the pieces of 16 columns of a lane.
    /// @return whether any of their voxels is background or lies outside the volume
    VOXCC_HD bool load(Shared& shared, int lane, const exec::Cell& corner) const {
        constexpr int depth = Shape::depth;
        const exec::Cell first{corner.x + uint32_t(lane % 4) * 16, corner.y + uint32_t(Shape::row_y(lane / 4 * depth)),
                               corner.z + uint32_t(Shape::row_z(lane / 4 * depth))};
        uint32_t common = 0xffff, joined = 0;
        VOXCC_UNROLL
        for (int j = 0; j < pieces; j += at_once) {
            typename Source::Raw raw[at_once];
            uint32_t bits[at_once];
            bool inside[at_once];
            VOXCC_UNROLL
            for (int i = 0; i < at_once; ++i) {
                const int r = (j + i) / depth * block_rows_at_once * depth + (j + i) % depth;
                const exec::Cell c{first.x, first.y + uint32_t(Shape::row_y(r)), first.z + uint32_t(Shape::row_z(r))};
                inside[i] = contains(c);
                raw[i] = inside[i] ? source.load(c.x, c.y, c.z) : typename Source::Raw{};
            }
            source.find_bits(raw, first.x, bits);
            VOXCC_UNROLL
            for (int i = 0; i < at_once; ++i) {
                const int k = (j + i) % depth, block_row = (j + i) / depth * block_rows_at_once;
                if (!inside[i]) bits[i] = 0;
                shared.piece[Place::at(block_row, k) * 4 + lane] = uint16_t(bits[i]);
                common &= bits[i];
                joined |= bits[i];
                if (k < depth - 1) continue;
                shared.columns_piece[block_row * 4 + lane] = uint16_t(joined);
                joined = 0;
            }
        }
        return common != 0xffff;
    }
    VOXCC_HD bool contains(const exec::Cell& c) const { return c.x < arrays.size.x && c.y < arrays.size.y && c.z < arrays.size.z; }

    /// Stores the first and the last column of the tile, line by line. The last lanes do this, because the first lanes count runs.
    VOXCC_HD void store_faces(const Shared& shared, int lane, const exec::Cell& place) const {
        using Lines = FaceLines<K>;
        const Lines lines{arrays.size, arrays.tiles};
        static_assert(2 * Lines::in_tile <= 32 && lanes >= 64);
        if (const int i = lane - (lanes - 32); i >= 0 && i < 2 * Lines::in_tile) {
            const int line = i % Lines::in_tile, y = line % Lines::in_y, z = line / Lines::in_y, column = i < Lines::in_tile ? 0 : 63;
            const uint32_t global_z = place.z * Shape::size_z + uint32_t(z);
            if (global_z >= arrays.size.z) return;
            uint32_t bits = 0;
            VOXCC_UNROLL
            for (int r = 0; r < Lines::rows; ++r)
                bits |= uint32_t(shared.row[Place::at(Shape::row_at(y * Lines::rows + r, z))] >> column & 1) << r;
            (column == 0 ? arrays.low_face : arrays.high_face)[lines.at(place.x, global_z, place.y * Lines::in_y + uint32_t(y))] =
                uint16_t(bits);
        }
    }

    /// Events of the block-row of a lane and one block-row before it; none for lanes without such a pair.
    VOXCC_HD Events events(const Shared& shared, int lane) const { return {event_columns(shared, lane)}; }
    VOXCC_HD static uint64_t event_columns(const Shared& shared, int lane) {
        const int b = lane % block_rows;
        const auto which = Before(lane / block_rows);
        if (lane >= block_rows * relations || shared.columns[b] == 0) return 0;
        const Partner partner = partner_in_tile<Shape>(b, which);
        if (!partner.inside || shared.columns[partner.block_row] == 0) return 0;
        const uint64_t starts = run_starts(shared.columns[b]) | run_starts(shared.columns[partner.block_row]);
        const uint64_t* const own = shared.row + b;
        const int y = b % Shape::blocks_y;
        if constexpr (relations > 1)
            if (which == Before::below) return events_with<K, Before::below>(own, y, starts);
        if constexpr (relations > 2) {
            if (which == Before::below_before) return events_with<K, Before::below_before>(own, y, starts);
            if (which == Before::below_after) return events_with<K, Before::below_after>(own, y, starts);
        }
        return events_with<K, Before::before>(own, y, starts);
    }
    template <class Use>
    VOXCC_HD static void for_each_pair_of(const Shared& shared, int lane, const Events& events, const Use& use) {
        const int b = lane % block_rows, p = partner_in_tile<Shape>(b, Before(lane / block_rows)).block_row;
        for_each_pair(events.columns,
                      {run_starts(shared.columns[b]), run_starts(shared.columns[p]), shared.first_run[b], shared.first_run[p]}, use);
    }

    /// Finds the first voxel of each root: the minimum over the runs that can contain it. These runs lie in the layer of the first run of
    /// the root. If a layer has one row of voxels in z, they lie in its block-row.
    VOXCC_HD static void find_first_voxels(Shared& shared, int lane) {
        if constexpr (Shape::depth == 1) return find_first_voxels_in_rows(shared, lane);
        constexpr int depth = Shape::depth, parts = lanes / block_rows, width = columns / parts;  // lanes per block-row, columns per lane
        static_assert(width <= 32);
        const int b = lane / parts, from = lane % parts * width;
        const uint64_t all = shared.columns[b], all_starts = run_starts(all);
        uint32_t starts = uint32_t(all_starts >> from) & uint32_t(columns_before(width));
        if (starts == 0) return;
        uint32_t run = shared.first_run[b] + uint32_t(count_bits(all_starts & columns_before(from)));
        const uint32_t oldest = shared.first_run[Shape::rows_z > 1 ? b / Shape::blocks_y * Shape::blocks_y : b];
        // On a GPU, words of 32 bits are faster. They hold 32 columns; most runs end before.
        const uint32_t columns_here = uint32_t(all >> from);
        uint32_t row[depth];
        VOXCC_UNROLL
        for (int k = 0; k < depth; ++k) row[k] = uint32_t(shared.row[Place::at(b, k)] >> from);
        for (; starts; starts &= starts - 1, ++run) {
            const uint32_t root = shared.root[run];
            if (root < oldest) continue;
            const uint32_t low = starts & (0 - starts), stretch = columns_here & ~(columns_here + low);
            uint32_t in_row = 0;
            int first_row = 0;
            VOXCC_UNROLL
            for (int k = depth - 1; k >= 0; --k)
                if (row[k] & stretch) in_row = row[k] & stretch, first_row = k;
            int column = from + lowest_bit(in_row);
            if (first_row > 0 && stretch >> 31) {  // a row before may have voxels in later columns
                const uint64_t from_here = uint64_t{low} << from, whole = all & ~(all + from_here);
                first_row = 0;
                while ((shared.row[Place::at(b, first_row)] & whole) == 0) ++first_row;
                column = lowest_bit(shared.row[Place::at(b, first_row)] & whole);
            }
            const int y = Shape::row_y(b * depth + first_row), z = Shape::row_z(b * depth + first_row);
            exec::fetch_min(shared.first_voxel() + shared.rank(root), uint32_t((z * Shape::size_y + y) * columns + column));
        }
    }

    /// The same if each block-row is one row. Then runs are numbered in raster order, and the first voxel of a root is the first voxel of
    /// its first run. A lane stores the first voxels of adjacent roots.
    VOXCC_HD static void find_first_voxels_in_rows(Shared& shared, int lane) {
        constexpr int parts = lanes / block_rows, width = columns / parts;
        static_assert(width <= 32);
        const int b = lane / parts, from = lane % parts * width;
        const uint64_t all = run_starts(shared.columns[b]);
        uint32_t starts = uint32_t(all >> from) & uint32_t(columns_before(width));
        if (starts == 0) return;
        const uint32_t first = uint32_t((Shape::row_z(b) * Shape::size_y + Shape::row_y(b)) * columns + from);
        uint32_t run = shared.first_run[b] + uint32_t(count_bits(all & columns_before(from))), rank = shared.rank(run);
        for (; starts; starts &= starts - 1, ++run)
            if (shared.root[run] == run) shared.first_voxel()[rank++] = first + uint32_t(lowest_bit(starts));
    }

    VOXCC_HD void store_rows(const Shared& shared, int lane, int64_t t, const exec::Cell& place) const {
        for (int r = lane; r < rows; r += lanes) arrays.rows[t * rows + r] = shared.row[Place::at(r)];
        store_faces(shared, lane, place);
    }
    /// Stores a tile without background: it has one run per block-row, and all runs are one root.
    VOXCC_HD void store_full(const Shared& shared, int lane, int64_t t, const exec::Cell& place, const exec::Cell& corner) const {
        store_rows(shared, lane, t, place);
        if (lane < block_rows) {
            arrays.first_run[t * block_rows + lane] = uint16_t(lane);
            arrays.root_of_run[t * Shape::most_runs + lane] = 0;
        }
        if (lane > 0) return;
        const uint32_t mark = first_mark_of_row<Shape>(arrays, corner, 0);
        store_root(arrays, uint32_t(t) * Shape::most_runs, mark);
        if (arrays.marks) set_mark(arrays, mark);
        arrays.counts[t] = {block_rows | 1u << 16};
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t i) const {
        tile.know_lanes();
        Shared& shared = tile.shared;
        const int64_t t = first_tile + i;
        const exec::Cell place = arrays.place(uint32_t(t));
        const exec::Cell corner{place.x * columns, place.y * Shape::size_y, place.z * Shape::size_z};
        const bool has_background = tile.any([&](int lane) { return load(shared, lane, corner); });
        if (!has_background) {
            tile.each([&](int lane) { store_full(shared, lane, t, place, corner); });
            return;
        }
        tile.scan64(
            shared.first_run, [&](int b) { return uint32_t(count_bits(run_starts(shared.columns[b]))); },
            [&](int lane) {
                store_rows(shared, lane, t, place);
                shared.begin(Shape::most_runs, lane, lanes);
            });
        unite_in_tile<Shape>(tile, *this, t, corner);
    }
};

}  // namespace voxcc::block_runs::tiles
