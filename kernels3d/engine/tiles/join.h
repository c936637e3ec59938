// Phase "join": unites runs that touch across the faces of tiles, by union-find over the ids of roots in global memory.
//
// Source of the unions: lab/algorithms/forest.h. Here a parent has an earlier first voxel than its child. So the first voxel of a component
// is the first voxel of its root, and only the mark of the root remains set: a lane that links a root clears the mark of that root.
//   faces in y and z   block-rows whose partner lies in another tile of the same columns, by bit logic on one word
//   face in x          column 0 of a tile and column 63 of the tiles to the left, as lines of up to 16 voxels in y
// Each lane lists pairs of runs. Then all lanes look up the ids of the runs and unite them.
#pragma once
#include "kernels3d/base/neighbourhood.h"
#include "kernels3d/engine/tiles/local.h"

namespace voxcc::block_runs::tiles {

/// The entry of an id. Other lanes may unite at the same time; then the entry may be an older one.
VOXCC_HD inline Root load_root(const TileArrays& arrays, uint32_t id) { return Root::of(exec::load(arrays.roots + id)); }

/// Joins two trees. Other lanes may do so at the same time. The root with the later first voxel becomes a child of the other root. If it
/// has another parent by then, the earlier one of the two parents remains, and the union continues with both of them. On the way to the
/// roots, Shape::shortens_paths replaces a parent by its own parent, which has an earlier first voxel.
template <class Shape>
VOXCC_HD inline void unite(const TileArrays& arrays, uint32_t a, uint32_t b) {
    if (a == b) return;
    Root at_a = load_root(arrays, a), at_b = load_root(arrays, b);
    for (;;) {
        if (at_a.parent != a || at_b.parent != b) {
            const uint32_t below_a = a, below_b = b;
            a = at_a.parent, b = at_b.parent;
            if (a == b) return;
            at_a = load_root(arrays, a), at_b = load_root(arrays, b);  // both loads run at the same time
            if constexpr (Shape::shortens_paths) {
                if (at_a.parent != a) exec::fetch_min(arrays.roots + below_a, at_a.word());
                if (at_b.parent != b) exec::fetch_min(arrays.roots + below_b, at_b.word());
            }
            continue;
        }
        if (at_a.first < at_b.first) {
            const uint32_t earlier = a;
            const Root at_earlier = at_a;
            a = b, at_a = at_b;
            b = earlier, at_b = at_earlier;
        }
        const uint32_t before = Root::of(exec::fetch_min(arrays.roots + a, at_b.word())).parent;
        if (before == a) break;
        if (before == b) return;
        a = before, at_a = load_root(arrays, a);
    }
    if (arrays.marks) exec::fetch_and(arrays.marks->words + at_a.first / 32, ~(1u << at_a.first % 32));
    // Tests the bit first: otherwise all lanes would wait for the root of a large component.
    const uint32_t bit = 1u << b % 32;
    if (!(exec::load(arrays.joined + b / 32) & bit)) exec::fetch_or(arrays.joined + b / 32, bit);
}

/// The handling of pairs of runs that is common to all join phases.
/// @tparam Listed number of pairs for which the list has room
template <class Shape, int Listed>
struct JoinedRuns {
    static constexpr int together = 1;  // tiles per call of the phase
    struct List {
        uint32_t pairs, a[Listed], b[Listed];  // run: tile * most runs + run in the tile
    };

    TileArrays arrays;

    /// The id of the root of a run.
    VOXCC_HD uint32_t id_of(uint32_t run) const { return run / Shape::most_runs * Shape::most_runs + arrays.root_of_run[run]; }
    /// Puts a pair at index `at` of the list, or unites it at once if the list is full.
    VOXCC_HD void list(List& list, uint32_t at, uint32_t a, uint32_t b) const {
        if (at < Listed) list.a[at] = a, list.b[at] = b;
        else unite<Shape>(arrays, id_of(a), id_of(b));
    }
    /// Unites all pairs in the lists. These are the last steps of a phase.
    /// @tparam Lanes number of lanes per list
    /// @param lists list k belongs to the lanes [k * Lanes, (k + 1) * Lanes)
    template <int Lanes, class Tile>
    VOXCC_HD void unite_listed(Tile& tile, List* lists) const {
        constexpr bool one = Lanes == Tile::lanes;  // the compiler does not know that lane < Lanes
        const auto list_of = [&](int lane) -> List& { return lists[one ? 0 : lane / Lanes]; };
        const auto first_of = [&](int lane) { return uint32_t(one ? lane : lane % Lanes); };
        const auto length_of = [](const List& list) { return list.pairs < Listed ? list.pairs : Listed; };
        tile.each([&](int lane) {
            List& list = list_of(lane);
            for (uint32_t i = first_of(lane), n = length_of(list); i < n; i += Lanes) {
                list.a[i] = id_of(list.a[i]);
                list.b[i] = id_of(list.b[i]);
            }
        });
        tile.each([&](int lane) {
            const List& list = list_of(lane);
            for (uint32_t i = first_of(lane), n = length_of(list); i < n; i += Lanes)  // in natural shapes most pairs repeat the one before
                if (i == 0 || list.a[i] != list.a[i - 1] || list.b[i] != list.b[i - 1]) unite<Shape>(arrays, list.a[i], list.b[i]);
        });
    }

    /// The first run of a block-row. Without runs: the first run of a later block-row.
    VOXCC_HD uint32_t first_run_at(uint32_t tile, int block_row) const {
        return tile * Shape::most_runs + arrays.first_run[tile * block_rows + uint32_t(block_row)];
    }
    /// The last run of a block-row, which must have runs.
    VOXCC_HD uint32_t last_run_at(uint32_t tile, int block_row) const {
        return (block_row + 1 < block_rows ? first_run_at(tile, block_row + 1)
                                           : tile * Shape::most_runs + uint32_t(arrays.counts[tile].runs())) -
               1;
    }
};

/// The block-rows of a tile at its faces in y and z, and the block-rows before them in other tiles.
template <class Shape>
struct Faces {
    static constexpr int Y = Shape::blocks_y, Z = Shape::blocks_z;

    /// A block-row at a face of its tile, and the direction of a block-row before it in another tile.
    struct Task {
        Before which;
        int block_row;
    };
    static constexpr int tasks = Shape::relations == 1 ? Z : Shape::relations == 2 ? Z + Y : 3 * (Z + Y) - 2;
    /// `before`: the Z block-rows with y = 0. `below`: the Y block-rows with z = 0. Diagonals: both sets, the common corner once; for
    /// below_after y is Y - 1 instead of 0.
    VOXCC_HD static Task task(int task) {
        if (task < Z) return {Before::before, task * Y};
        task -= Z;
        if (task < Y) return {Before::below, task};
        task -= Y;
        const bool after = task >= Y + Z - 1;
        if (after) task -= Y + Z - 1;
        return {after ? Before::below_after : Before::below_before, task < Y ? task : (task - Y + 1) * Y + (after ? Y - 1 : 0)};
    }

    /// The block-row on the other side of a face.
    struct Other {
        bool inside;  // whether it lies inside the volume
        uint32_t tile;
        int block_row;
    };
    VOXCC_HD static Other other(const Task& task, const TileArrays& arrays, const exec::Cell& place) {
        const int y = task.block_row % Y + step_y(task.which), z = task.block_row / Y + step_z(task.which);
        const exec::Cell c{place.x, place.y + uint32_t(y < 0 ? -1 : y >= Y), place.z - uint32_t(z < 0)};  // -1 wraps past the end
        return {c.y < arrays.tiles.y && c.z < arrays.tiles.z, arrays.tile_at(c), (z + Z) % Z * Y + (y + Y) % Y};
    }
};

/// The (y, z) steps to the neighbours of a voxel in the column to its left.
template <Connectivity K>
struct Asides {
    static constexpr int count = K == Connectivity::c26 ? 9 : K == Connectivity::c18 ? 5 : K == Connectivity::c8 ? 3 : 1;
    struct Step {
        int y, z;
    };
    /// Straight steps first: (0, 0), (-1, 0), (1, 0), (0, -1), (0, 1); then the diagonal ones.
    VOXCC_HD static constexpr Step at(int i) {
        return i < 5 ? Step{(i == 2) - (i == 1), (i == 4) - (i == 3)} : Step{(i - 5) % 2 * 2 - 1, (i - 5) / 2 * 2 - 1};
    }
};

/// Tasks per tile: block-rows at faces in y and z, and for the face in x each line with each step of Asides.
template <Connectivity K>
inline constexpr int join_tasks = Faces<TileShape<K>>::tasks + (FaceLines<K>::in_tile * Asides<K>::count);

/// Phase functor. If a tile has at most 32 tasks, one warp joins it, and a block joins two tiles: a GPU has room for 32 blocks per
/// multiprocessor, but for 64 warps.
/// @tparam Listed number of pairs for which the list of a tile has room
template <Connectivity K, int Listed = join_tasks<K> <= 32 ? 256 : 1024>
struct Join : JoinedRuns<TileShape<K>, Listed> {
    using Shape = TileShape<K>;
    using Base = JoinedRuns<Shape, Listed>;
    using Base::arrays;
    using typename Base::List;
    using Lines = FaceLines<K>;
    static constexpr int lanes_per_tile = join_tasks<K> <= 32 ? 32 : 128, together = lanes_per_tile == 32 ? 2 : 1;
    static constexpr int lanes = lanes_per_tile * together, resident = 2048 / lanes;
    /// With 6 neighbours, all phases take 3 to 5 % longer if tiles start while phase "local" ends, probably because they then keep its
    /// small first-level cache. Others gain 1 % from an early start.
    static constexpr exec::Start start = K == Connectivity::c6 ? exec::Start::late : exec::Start::early;
    struct Shared {
        List lists[together];
    };
    static constexpr int Y = Shape::blocks_y, Z = Shape::blocks_z, depth = Shape::depth;
    using FaceTask = typename Faces<Shape>::Task;

    /// Columns in which a pair across a face is also joined over the pair before it along the face. Both pairs must lie in the same two
    /// tiles. Used only for block-rows of one row, where it saves time.
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

    /// Lists the pairs of a block-row at a face in y or z.
    VOXCC_HD void join_block_rows(List& list, const FaceTask& task, uint32_t tile, const exec::Cell& place) const {
        const auto there = Faces<Shape>::other(task, arrays, place);
        if (!there.inside) return;
        const uint64_t* const own = arrays.rows + int64_t(tile) * Shape::rows + task.block_row * depth;
        const uint64_t* const other = arrays.rows + int64_t(there.tile) * Shape::rows + there.block_row * depth;
        const RunsOfTwo runs{run_starts(joined_rows<depth>(own)), run_starts(joined_rows<depth>(other)),
                             this->first_run_at(tile, task.block_row), this->first_run_at(there.tile, there.block_row)};
        if (runs.starts_a == 0 || runs.starts_b == 0) return;
        const uint64_t event = events(task, own, other, runs.starts_a | runs.starts_b);
        if (event == 0) return;
        const uint32_t at = exec::fetch_add(&list.pairs, uint32_t(count_bits(event)));
        for_each_pair(event, runs, [&](uint32_t i, uint32_t a, uint32_t b) { this->list(list, at + i, a, b); });
    }

    /// Bit y is the voxel at y + dy of a line. That voxel may belong to the line before or after in y, which may lie in another tile.
    VOXCC_HD uint32_t line_at(const uint16_t* face, uint32_t tile_x, uint32_t z, uint32_t line, int dy) const {
        const Lines lines{arrays.size, arrays.tiles};
        if (z >= arrays.size.z) return 0;
        const uint16_t* const at = face + lines.at(tile_x, z, line);
        uint32_t bits = *at;
        if (dy < 0) bits = (bits << 1 | (line > 0 ? uint32_t(at[-1]) >> (Lines::rows - 1) : 0)) & ((1u << Lines::rows) - 1);
        if (dy > 0) bits = bits >> 1 | (line + 1 < arrays.tiles.y * Lines::in_y ? (at[1] & 1u) << (Lines::rows - 1) : 0);
        return bits;
    }

    /// The voxels of column 0 in a line that touch column 63 of the tiles to the left at (dy, dz). Contacts that other contacts already
    /// join are left out. A straight contact is needed only at the start of a stretch of straight contacts. A slanted contact is needed
    /// only if neither side has the voxel between.
    VOXCC_HD uint32_t contacts_of_line(uint32_t tile_x, uint32_t z, uint32_t line, int dy, int dz) const {
        const uint32_t own = line_at(arrays.low_face, tile_x, z, line, 0), beside = line_at(arrays.high_face, tile_x - 1, z, line, 0);
        if (dy != 0 || dz != 0) {
            if ((own & ~beside) == 0) return 0;
            const uint32_t there = z + uint32_t(dz);
            return own & ~beside & line_at(arrays.high_face, tile_x - 1, there, line, dy) &
                   ~line_at(arrays.low_face, tile_x, there, line, dy);
        }
        uint32_t needed = own & beside;
        needed &= ~(needed << 1);
        if (needed == 0) return 0;
        if (Shape::crosses_slices && z % Shape::size_z > 0)
            needed &= ~(line_at(arrays.low_face, tile_x, z - 1, line, 0) & line_at(arrays.high_face, tile_x - 1, z - 1, line, 0));
        return needed;
    }

    /// Lists the pairs of a line at the face in x.
    VOXCC_HD void join_line(List& list, int task, uint32_t tile, const exec::Cell& place) const {
        const int line = task % Lines::in_tile;
        const auto [dy, dz] = Asides<K>::at(task / Lines::in_tile);
        const int y = line % Lines::in_y * Lines::rows, z = line / Lines::in_y;
        const uint32_t global_z = place.z * Shape::size_z + uint32_t(z), global_y = place.y * Shape::size_y + uint32_t(y);
        if (global_z >= arrays.size.z) return;
        uint32_t bits = contacts_of_line(place.x, global_z, global_y / Lines::rows, dy, dz);
        if (bits == 0) return;
        uint32_t at = exec::fetch_add(&list.pairs, uint32_t(count_bits(bits)));
        const uint32_t left_z = global_z + uint32_t(dz);
        for (; bits; bits &= bits - 1, ++at) {
            const uint32_t r = uint32_t(lowest_bit(bits)), left_y = global_y + r + uint32_t(dy);
            const uint32_t left = arrays.tile_at({place.x - 1, left_y / Shape::size_y, left_z / Shape::size_z});
            this->list(list, at, this->first_run_at(tile, Shape::block_row_at(y + int(r), z)),
                       this->last_run_at(left, Shape::block_row_at(int(left_y % Shape::size_y), int(left_z % Shape::size_z))));
        }
    }

    /// Joins the tiles [i * together, (i + 1) * together).
    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t i) const {
        tile.know_lanes();
        Shared& shared = tile.shared;
        tile.each([&](int lane) {
            if (lane < together) shared.lists[lane].pairs = 0;
        });
        tile.each([&](int lane) {
            const int part = together == 1 ? 0 : lane / lanes_per_tile, first = together == 1 ? lane : lane % lanes_per_tile;
            const int64_t t = i * together + part;
            if (together > 1 && t >= arrays.tiles.cells()) return;
            List& list = shared.lists[part];
            const exec::Cell place = arrays.place(uint32_t(t));
            for (int task = first; task < Faces<Shape>::tasks; task += lanes_per_tile)
                join_block_rows(list, Faces<Shape>::task(task), uint32_t(t), place);
            if (place.x == 0) return;
            for (int task = first; task < Lines::in_tile * Asides<K>::count; task += lanes_per_tile)
                join_line(list, task, uint32_t(t), place);
        });
        this->template unite_listed<lanes_per_tile>(tile, shared.lists);
    }
};

}  // namespace voxcc::block_runs::tiles
