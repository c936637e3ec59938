// Phase "join": runs that touch across the faces of tiles. Union-find over the ids of roots, in global memory.
//
// Source of the unions: algorithms/forest.h, with ids from 0. A parent is never behind its child, so the root of a component is its first
// id, whose tile lies in the first layer of tiles that the component reaches.
//   faces in y and z   block-rows whose partner lies in another tile of the same columns, by the bit logic of one word
//   face in x          column 0 of a tile against column 63 of the tiles to the left, lines of 16 voxels in y as bit sets
// A lane lists pairs of runs; then all lanes look up their ids and unite.
#pragma once
#include "kernels3d/block_runs/tiles/local.h"
#include "kernels3d/neighbourhood.h"

namespace voxcc::block_runs::tiles {

/// The root above an id; others may be uniting.
VOXCC_HD inline uint32_t find(const uint32_t* parent, uint32_t id) {
    for (uint32_t above; (above = exec::load(parent + id)) != id;) id = above;
    return id;
}

/// Joins two trees; others may do so at the same time. The later root gets the earlier one as parent; a root that has found another
/// parent meanwhile goes on with that one.
VOXCC_HD inline void unite(uint32_t* parent, uint32_t a, uint32_t b) {
    a = find(parent, a);
    b = find(parent, b);
    while (a != b) {
        if (a < b) {
            const uint32_t earlier = a;
            a = b, b = earlier;
        }
        const uint32_t above = exec::fetch_min(parent + a, b);
        if (above == a) return;
        a = find(parent, above);
        b = find(parent, b);
    }
}

/// What joining has to do with pairs of runs, however it finds them.
/// @tparam Listed pairs that the list has room for
template <class Shape, int Listed>
struct JoinedRuns {
    struct Shared {
        uint32_t pairs, a[Listed], b[Listed];  // tile * most runs + run
    };

    TileArrays arrays;

    VOXCC_HD uint32_t id_of(uint32_t run) const { return run / Shape::most_runs * Shape::most_runs + arrays.root_of_run[run]; }
    VOXCC_HD void list(Shared& shared, uint32_t at, uint32_t a, uint32_t b) const {
        if (at < Listed) shared.a[at] = a, shared.b[at] = b;
        else unite(arrays.parent, id_of(a), id_of(b));
    }
    /// The last steps: all pairs listed.
    template <class Tile>
    VOXCC_HD void unite_listed(Tile& tile) const {
        Shared& shared = tile.shared;
        const uint32_t listed = shared.pairs < Listed ? shared.pairs : Listed;
        tile.each([&](int lane) {
            for (uint32_t i = uint32_t(lane); i < listed; i += Tile::lanes) {
                shared.a[i] = id_of(shared.a[i]);
                shared.b[i] = id_of(shared.b[i]);
            }
        });
        tile.each([&](int lane) {
            for (uint32_t i = uint32_t(lane); i < listed; i += Tile::lanes)  // along a face of natural shapes most pairs repeat the last
                if (i == 0 || shared.a[i] != shared.a[i - 1] || shared.b[i] != shared.b[i - 1])
                    unite(arrays.parent, shared.a[i], shared.b[i]);
        });
    }

    /// A block-row's first run, or its last.
    VOXCC_HD uint32_t first_run_at(uint32_t tile, int block_row) const {
        return tile * Shape::most_runs + arrays.first_run[tile * block_rows + uint32_t(block_row)];
    }
    VOXCC_HD uint32_t last_run_at(uint32_t tile, int block_row) const {
        return (block_row + 1 < block_rows ? first_run_at(tile, block_row + 1)
                                           : tile * Shape::most_runs + uint32_t(arrays.counts[tile].runs())) -
               1;
    }
};

/// The block-rows on the faces of a tile in y and z, and those before them in other tiles.
template <class Shape>
struct Faces {
    static constexpr int Y = Shape::blocks_y, Z = Shape::blocks_z;

    /// A block-row on a face of its tile, and which of those before it lies in another tile.
    struct Task {
        Before which;
        int block_row;
    };
    static constexpr int tasks = Shape::relations == 1 ? Z : Shape::relations == 2 ? Z + Y : 3 * (Z + Y) - 2;
    /// Before: the Z block-rows with y = 0. Below: the Y with z = 0. Diagonals: both, the corner once, y at its end for below_after.
    VOXCC_HD static Task task(int task) {
        if (task < Z) return {Before::before, task * Y};
        task -= Z;
        if (task < Y) return {Before::below, task};
        task -= Y;
        const bool after = task >= Y + Z - 1;
        if (after) task -= Y + Z - 1;
        return {after ? Before::below_after : Before::below_before, task < Y ? task : (task - Y + 1) * Y + (after ? Y - 1 : 0)};
    }

    /// The block-row on the other side.
    struct Other {
        bool inside;  // the volume
        uint32_t tile;
        int block_row;
    };
    VOXCC_HD static Other other(const Task& task, const TileArrays& arrays, const exec::Cell& place) {
        const int y = task.block_row % Y + step_y(task.which), z = task.block_row / Y + step_z(task.which);
        const exec::Cell c{place.x, place.y + uint32_t(y < 0 ? -1 : y >= Y), place.z - uint32_t(z < 0)};  // below 0 is past the end, too
        return {c.y < arrays.tiles.y && c.z < arrays.tiles.z, arrays.tile_at(c), (z + Z) % Z * Y + (y + Y) % Y};
    }
};

/// Where the neighbours of a voxel in the column to its left lie.
template <Connectivity K>
struct Asides {
    static constexpr int count = K == Connectivity::c26 ? 9 : K == Connectivity::c18 ? 5 : K == Connectivity::c8 ? 3 : 1;
    struct Step {
        int y, z;
    };
    /// Straight ones first: 0 0, y-1, y+1, z-1, z+1.
    VOXCC_HD static constexpr Step at(int i) {
        return i < 5 ? Step{(i == 2) - (i == 1), (i == 4) - (i == 3)} : Step{(i - 5) % 2 * 2 - 1, (i - 5) / 2 * 2 - 1};
    }
};

/// Tasks of a tile: its faces in y and z, and its face in x by line and aside.
template <Connectivity K>
inline constexpr int join_tasks = Faces<TileShape<K>>::tasks + FaceLines<K>::in_tile* Asides<K>::count;

/// @tparam Listed pairs that the list has room for
template <Connectivity K, int Listed = join_tasks<K> <= 32 ? 256 : 1024>
struct Join : JoinedRuns<TileShape<K>, Listed> {
    using Shape = TileShape<K>;
    using Base = JoinedRuns<Shape, Listed>;
    using Base::arrays;
    using typename Base::Shared;
    using Lines = FaceLines<K>;
    static constexpr int lanes = join_tasks<K> <= 32 ? 32 : 128, resident = lanes == 32 ? 32 : 16;
    static constexpr int Y = Shape::blocks_y, Z = Shape::blocks_z, depth = Shape::depth;
    using FaceTask = typename Faces<Shape>::Task;

    /// Columns where a pair across a face is joined by the pair before it along the face, where there is one in the same two tiles; of
    /// single rows only, for which that pays.
    template <Contacts Across, Contacts Along>
    VOXCC_HD static uint64_t bridged_along(const uint64_t* own, const uint64_t* other, int to_previous) {
        return same_column<Along, depth>(own, own - to_previous) & same_column<Across, depth>(own - to_previous, other - to_previous) &
               same_column<Along, depth>(other, other - to_previous);
    }
    VOXCC_HD static uint64_t events(const FaceTask& task, const uint64_t* own, const uint64_t* other, uint64_t starts) {
        constexpr Links C = links_of<K>;
        uint64_t bridged = 0;
        if constexpr (Shape::relations > 1)
            if (task.which == Before::below) {
                if (depth == 1 && task.block_row % Y > 0) bridged = bridged_along<C.below, C.before>(own, other, depth);
                return pair_events(touching<C.below, depth>(own, other), bridged, starts);
            }
        if constexpr (Shape::relations > 2) {
            if (task.which == Before::below_before) return pair_events(touching<C.below_before, depth>(own, other), 0, starts);
            if (task.which == Before::below_after) return pair_events(touching<C.below_after, depth>(own, other), 0, starts);
        }
        if constexpr (Shape::relations == 2)
            if (task.block_row >= Y) bridged = bridged_along<C.before, C.below>(own, other, Y * depth);
        return pair_events(touching<C.before, depth>(own, other), bridged, starts);
    }

    VOXCC_HD void join_block_rows(Shared& shared, const FaceTask& task, uint32_t tile, const exec::Cell& place) const {
        const auto there = Faces<Shape>::other(task, arrays, place);
        if (!there.inside) return;
        const uint64_t* const own = arrays.rows + int64_t(tile) * Shape::rows + task.block_row * depth;
        const uint64_t* const other = arrays.rows + int64_t(there.tile) * Shape::rows + there.block_row * depth;
        RunsOfTwo runs{run_starts(joined_rows<depth>(own)), run_starts(joined_rows<depth>(other)), 0, 0};
        if (runs.starts_a == 0 || runs.starts_b == 0) return;
        const uint64_t event = events(task, own, other, runs.starts_a | runs.starts_b);
        if (event == 0) return;
        runs.first_a = this->first_run_at(tile, task.block_row);
        runs.first_b = this->first_run_at(there.tile, there.block_row);
        const uint32_t at = exec::fetch_add(&shared.pairs, uint32_t(count_bits(event)));
        for_each_pair(event, runs, [&](uint32_t i, uint32_t a, uint32_t b) { this->list(shared, at + i, a, b); });
    }

    /// Bit y: the voxel at y + dy of a line of a face, whichever tile it lies in.
    VOXCC_HD uint32_t line_at(const uint16_t* face, uint32_t tile_x, uint32_t z, uint32_t line, int dy) const {
        const Lines lines{arrays.size, arrays.tiles};
        if (z >= arrays.size.z) return 0;
        const uint16_t* const at = face + lines.at(tile_x, z, line);
        uint32_t bits = *at;
        if (dy < 0) bits = (bits << 1 | (line > 0 ? uint32_t(at[-1]) >> (Lines::rows - 1) : 0)) & ((1u << Lines::rows) - 1);
        if (dy > 0) bits = bits >> 1 | (line + 1 < arrays.tiles.y * Lines::in_y ? (at[1] & 1u) << (Lines::rows - 1) : 0);
        return bits;
    }

    /// Voxels of column 0 in a line that touch column 63 of the tiles to the left at (dy, dz), without those that other contacts join:
    /// voxels side by side are needed only where a stretch of them begins, slanted ones where neither side has the voxel between.
    VOXCC_HD uint32_t contacts_of_line(uint32_t tile_x, uint32_t z, uint32_t line, int dy, int dz) const {
        const uint32_t own = line_at(arrays.low_face, tile_x, z, line, 0);
        if (own == 0) return 0;
        const uint32_t beside = line_at(arrays.high_face, tile_x - 1, z, line, 0);
        if (dy != 0 || dz != 0) {
            const uint32_t there = z + uint32_t(dz);
            return own & ~beside & line_at(arrays.high_face, tile_x - 1, there, line, dy) &
                   ~line_at(arrays.low_face, tile_x, there, line, dy);
        }
        uint32_t needed = own & beside;
        needed &= ~(needed << 1);
        if (Shape::crosses_slices && z % Shape::size_z > 0)
            needed &= ~(line_at(arrays.low_face, tile_x, z - 1, line, 0) & line_at(arrays.high_face, tile_x - 1, z - 1, line, 0));
        return needed;
    }

    VOXCC_HD void join_line(Shared& shared, int task, uint32_t tile, const exec::Cell& place) const {
        const int line = task % Lines::in_tile;
        const auto [dy, dz] = Asides<K>::at(task / Lines::in_tile);
        const int y = line % Lines::in_y * Lines::rows, z = line / Lines::in_y;
        const uint32_t global_z = place.z * Shape::size_z + uint32_t(z), global_y = place.y * Shape::size_y + uint32_t(y);
        if (global_z >= arrays.size.z) return;
        uint32_t bits = contacts_of_line(place.x, global_z, global_y / Lines::rows, dy, dz);
        if (bits == 0) return;
        uint32_t at = exec::fetch_add(&shared.pairs, uint32_t(count_bits(bits)));
        const uint32_t left_z = global_z + uint32_t(dz);
        for (; bits; bits &= bits - 1, ++at) {
            const uint32_t r = uint32_t(lowest_bit(bits)), left_y = global_y + r + uint32_t(dy);
            const uint32_t left = arrays.tile_at({place.x - 1, left_y / Shape::size_y, left_z / Shape::size_z});
            this->list(shared, at, this->first_run_at(tile, Shape::block_row_at(y + int(r), z)),
                       this->last_run_at(left, Shape::block_row_at(int(left_y % Shape::size_y), int(left_z % Shape::size_z))));
        }
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        Shared& shared = tile.shared;
        if (arrays.counts[t].runs() == 0) return;
        const exec::Cell place = arrays.place(uint32_t(t));
        tile.each([&](int lane) {
            if (lane == 0) shared.pairs = 0;
        });
        tile.each([&](int lane) {
            for (int task = lane; task < Faces<Shape>::tasks; task += lanes)
                join_block_rows(shared, Faces<Shape>::task(task), uint32_t(t), place);
            if (place.x == 0) return;
            for (int task = lane; task < Lines::in_tile * Asides<K>::count; task += lanes) join_line(shared, task, uint32_t(t), place);
        });
        this->unite_listed(tile);
    }
};

}  // namespace voxcc::block_runs::tiles
