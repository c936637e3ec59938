// Part of phase "join": periodic axes. Of two voxels that are neighbours across the ends of an axis, one has coordinate 0 on this axis.
// Each voxel with coordinate 0 is united with its neighbours across the ends, voxel by voxel: faces have few voxels.
#pragma once
#include <voxcc/labelling.h>
#include "kernels3d/block_runs/tiles/join.h"
#include "kernels3d/block_runs/tiles/values.h"

namespace voxcc::block_runs::tiles {

/// Axes as bits: 1 for x, 2 for y, 4 for z.
using Axes = uint32_t;
inline Axes axes_of(const Periodic& periodic) { return Axes(periodic.axes[0]) | Axes(periodic.axes[1]) << 1 | Axes(periodic.axes[2]) << 2; }

/// Result of stepped() if a step leaves the volume.
inline constexpr uint32_t no_voxel = ~uint32_t{0};
/// The coordinate after a step of -1, 0 or 1 along an axis of n voxels; no_voxel if the step leaves the volume.
VOXCC_HD inline uint32_t stepped(uint32_t at, int step, uint32_t n, bool wraps) {
    if (step < 0 && at == 0) return wraps ? n - 1 : no_voxel;
    if (step > 0 && at == n - 1) return wraps ? 0 : no_voxel;
    return at + uint32_t(step);
}

/// Joins neighbours with any values.
struct AnyValue {
    VOXCC_HD bool connect(const exec::Cell&, const exec::Cell&) const { return true; }
};
/// Joins neighbours if the rule connects their values.
template <class Rows>
struct ConnectedValues {
    Rows rows;
    VOXCC_HD bool connect(const exec::Cell& a, const exec::Cell& b) const {
        return rows.joins.connect(*rows.at(a.x, a.y, a.z), *rows.at(b.x, b.y, b.z));
    }
};

/// Phase: called for the voxels whose coordinate on `axis` is 0.
template <Connectivity K, class Shape, class Joins>
struct JoinAround {
    static constexpr uint32_t none = ~uint32_t{0};

    TileArrays arrays;
    Axes periodic, axis;
    Joins joins;

    /// The id of the root that contains a voxel; `none` for background.
    VOXCC_HD uint32_t id_at(const exec::Cell& c) const {
        const uint32_t tile = arrays.tile_at({c.x / columns, c.y / Shape::size_y, c.z / Shape::size_z});
        const int y = int(c.y % Shape::size_y), z = int(c.z % Shape::size_z), column = int(c.x % columns), b = Shape::block_row_at(y, z);
        const uint64_t* const words = arrays.rows + int64_t(tile) * Shape::words;
        if (!(words[Shape::row_at(y, z)] >> column & 1)) return none;
        const int run = arrays.first_run[tile * block_rows + uint32_t(b)] + count_bits(starts_of<Shape>(words, b) << (63 - column)) - 1;
        return tile * Shape::most_runs + arrays.root_of_run[int64_t(tile) * Shape::most_runs + run];
    }

    VOXCC_HD void operator()(const exec::Cell& from) const {
        const uint32_t id = id_at(from);
        if (id == none) return;
        for (int step = 0; step < 27; ++step) {
            const int dx = step % 3 - 1, dy = step / 3 % 3 - 1, dz = step / 9 - 1;
            const int across = axis == 1 ? dx : axis == 2 ? dy : dz;
            if (across != -1 || !is_neighbour(K, dx, dy, dz)) continue;
            const exec::Cell to{stepped(from.x, dx, arrays.size.x, periodic & 1), stepped(from.y, dy, arrays.size.y, periodic & 2),
                                stepped(from.z, dz, arrays.size.z, periodic & 4)};
            if (to.x == no_voxel || to.y == no_voxel || to.z == no_voxel) continue;
            const uint32_t other = id_at(to);
            if (other != none && joins.connect(from, to)) unite<Shape>(arrays, id, other);
        }
    }
};

}  // namespace voxcc::block_runs::tiles
