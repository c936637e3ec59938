// Phases "merge x", "merge y", "merge z": visit the voxels at the borders between the tiles of a volume.
//
//   tile | tile      A border lies between two tiles that are neighbours along an axis. Its planes of voxels are the first plane behind it
//     . b|a .        (a) and, if a voxel has earlier neighbours further along the axis, also the last plane before it (b). Every voxel that
//     . b|a .        has an earlier neighbour in another tile lies in one of these planes.
// A voxel in planes of several axes is visited only once, in the last of these phases.
#pragma once
#include <voxcc/volume.h>
#include "lab/algorithms/tiling.h"

namespace voxcc::algorithms {

/// The planes of voxels at the borders along one axis.
struct BorderPlanes {
    std::uint32_t edge;  // length of a tile
    std::uint32_t each;  // planes per border: 1 behind it; 2 also the last plane before it; 0 if no border is visited
    std::uint32_t size;  // length of the volume

    VOXCC_HD std::uint32_t count() const { return (size - 1) / edge * each; }
    /// The coordinate of plane i, i in [0, count()).
    VOXCC_HD std::uint32_t plane(std::uint32_t i) const { return (i / each + 1) * edge - i % each; }
    /// Whether the coordinate belongs to a plane.
    VOXCC_HD bool contains(std::uint32_t c) const {
        const std::uint32_t border = (c + each - 1) / edge;
        return each != 0 && (c + each - 1) % edge < each && border >= 1 && border <= (size - 1) / edge;
    }
};

/// @tparam Looked the earlier directions in which a voxel looks for neighbours
template <class Tiles, Directions Looked>
struct Borders {
    exec::Grid size;

    template <Axis A>
    VOXCC_HD BorderPlanes along() const {
        if constexpr (A == Axis::x) return {Tiles::shape().x, Looked & directions::right ? 2 : 1, size.x};
        else if constexpr (A == Axis::y) return {Tiles::shape().y, Looked & directions::below ? 2 : 1, size.y};
        else return {Tiles::shape().z, Looked & directions::before ? 1 : 0, size.z};
    }
    /// The cells of the phase of an axis.
    template <Axis A>
    exec::Grid grid() const {
        exec::Grid cells = size;
        (A == Axis::x ? cells.x : A == Axis::y ? cells.y : cells.z) = along<A>().count();
        return cells;
    }
};

template <Axis A, class Tiles, Directions Looked, class Merge>
struct VisitBorders {
    Borders<Tiles, Looked> borders;
    Merge merge;
    VOXCC_HD void operator()(exec::Cell c) const {
        std::uint32_t& moved = A == Axis::x ? c.x : A == Axis::y ? c.y : c.z;
        moved = borders.template along<A>().plane(moved);
        if (A < Axis::z && borders.template along<Axis::z>().contains(c.z)) return;
        if (A < Axis::y && borders.template along<Axis::y>().contains(c.y)) return;
        merge(c);
    }
};

/// Calls merge(c) for every voxel c that has an earlier neighbour in another tile, in one phase per axis.
template <class Tiles, Directions Looked, class Executor, class Merge>
void merge_borders(Executor& executor, const exec::Grid& size, const Merge& merge) {
    const Borders<Tiles, Looked> borders{size};
    executor.for_each("merge x", borders.template grid<Axis::x>(), VisitBorders<Axis::x, Tiles, Looked, Merge>{borders, merge});
    executor.for_each("merge y", borders.template grid<Axis::y>(), VisitBorders<Axis::y, Tiles, Looked, Merge>{borders, merge});
    if constexpr ((Looked & directions::before) != 0)
        executor.for_each("merge z", borders.template grid<Axis::z>(), VisitBorders<Axis::z, Tiles, Looked, Merge>{borders, merge});
}

}  // namespace voxcc::algorithms
