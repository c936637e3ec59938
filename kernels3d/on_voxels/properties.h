// Properties of components as sums over their voxels: size, and first and second moments of the coordinates. Also bounding boxes.
//
// Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, section III-B. Sums of coordinates are used in place
// of means: one atomic addition per value then merges two parts of a component. The paper has the moments of 2D. Boxes: Hennequin et al.
// 2018 (ha.h).
// Coordinates are 0-based voxel indices of the volume. Sums are exact 64-bit integers; see second_moments_fit() (statistics.h).
#pragma once
#include <voxcc/measure.h>
#include "kernels3d/base/host_device.h"
#include "kernels3d/exec/atomic.h"
#include "kernels3d/on_voxels/problem.h"

#include <memory>

namespace voxcc::algorithms {

/// The number of axes along which a component can extend: 2 for connectivities 4 and 8, which stay within slices, else 3.
constexpr int dimension_of(Connectivity c) { return c == Connectivity::c4 || c == Connectivity::c8 ? 2 : 3; }

/// Calls f.template operator()<D>() with the dimension as a compile-time constant, and returns the result of the call.
template <class F>
decltype(auto) visit_dimension(Connectivity c, const F& f) {
    if (dimension_of(c) == 2) return f.template operator()<2>();
    return f.template operator()<3>();
}

/// The number of moments. 2D: 6 (n x y xx yy xy), 48 bytes. 3D: 10 (n x y z xx yy zz xy xz yz), 80 bytes. The order is the order of
/// voxcc::Moments.
constexpr int moments_of(int dimension) { return 1 + dimension + dimension * (dimension + 1) / 2; }

template <int D>
struct Moments {
    static constexpr int count = moments_of(D);
    std::uint64_t values[count];

    VOXCC_HD static Moments of(const voxcc::Moments<std::uint64_t>& m) {
        if constexpr (D == 2) return {{m.n, m.x, m.y, m.xx, m.yy, m.xy}};
        else return {{m.n, m.x, m.y, m.z, m.xx, m.yy, m.zz, m.xy, m.xz, m.yz}};
    }
};

/// A bounding box in voxel indices x y z; both corners are inclusive. In 2D, z is the slice.
struct Box {
    std::uint32_t low[3], high[3];
};
inline constexpr Box empty_box{{~0u, ~0u, ~0u}, {0, 0, 0}};

/// Moments and box of some voxels of one component.
template <int D>
struct Part {
    Moments<D> moments;
    Box box;
    VOXCC_HD void add(const Part& o) {
        for (int m = 0; m < Moments<D>::count; ++m) moments.values[m] += o.moments.values[m];
        for (int a = 0; a < 3; ++a) {
            if (o.box.low[a] < box.low[a]) box.low[a] = o.box.low[a];
            if (o.box.high[a] > box.high[a]) box.high[a] = o.box.high[a];
        }
    }
};

/// Voxels on a line along one axis, with or without gaps. Stores their number, and of their coordinates along the axis the sum, the sum of
/// squares, the first and the last.
struct Line {
    std::uint64_t n = 0, sum = 0, squares = 0;
    std::uint32_t first = 0, last = 0;

    /// Adds a voxel. `at` must be greater than all coordinates of the line.
    VOXCC_HD void append(std::uint32_t at) {
        if (n++ == 0) first = at;
        last = at;
        sum += at;
        squares += std::uint64_t(at) * at;
    }
    /// n adjacent voxels.
    VOXCC_HD static Line stretch(std::uint32_t first, std::uint64_t n) {
        const auto sums = voxcc::Moments<std::uint64_t>::stretch(first, n);
        return {n, sums.x, sums.xx, first, std::uint32_t(first + n - 1)};
    }
};

/// The moments of a line along `Axis`.
/// @param at any voxel of the line
template <int Axis, int D>
VOXCC_HD Moments<D> moments_of_line(const Line& line, const exec::Cell& at) {
    voxcc::Moments<std::uint64_t> along;  // as if the line lay on the axis
    along.n = line.n;
    if constexpr (Axis == 0) along.x = line.sum, along.xx = line.squares;
    if constexpr (Axis == 1) along.y = line.sum, along.yy = line.squares;
    if constexpr (Axis == 2) along.z = line.sum, along.zz = line.squares;
    return Moments<D>::of(along.shifted(Axis == 0 ? 0 : at.x, Axis == 1 ? 0 : at.y, Axis == 2 ? 0 : at.z));
}

/// The moments and the box of a line along `Axis`.
/// @param at any voxel of the line
template <int Axis, int D>
VOXCC_HD Part<D> part_of_line(const Line& line, const exec::Cell& at) {
    Part<D> part{moments_of_line<Axis, D>(line, at), {{at.x, at.y, at.z}, {at.x, at.y, at.z}}};
    part.box.low[Axis] = line.first;
    part.box.high[Axis] = line.last;
    return part;
}

/// Moments and box per component; label k has slot k - 1. All functions are thread-safe.
template <int D>
struct Slots {
    std::uint64_t* moments;  // [component][moment]
    Box* boxes;

    /// Adds a part with few atomic operations: one per moment, and one per face of the box that the part moves.
    VOXCC_HD void add(std::uint32_t label, const Part<D>& part) const {
        add_moments(label, part.moments);
        Box& box = boxes[label - 1];
        VOXCC_UNROLL
        for (int a = 0; a < 3; ++a) {  // load first: few parts widen a box, and an outdated value is never wider than the box
            if (part.box.low[a] < exec::load(box.low + a)) exec::fetch_min(box.low + a, part.box.low[a]);
            if (part.box.high[a] > exec::load(box.high + a)) exec::fetch_max(box.high + a, part.box.high[a]);
        }
    }
    /// Adds a part with one atomic operation per value, as in the papers.
    VOXCC_HD void add_as_published(std::uint32_t label, const Part<D>& part) const {
        add_moments(label, part.moments);
        Box& box = boxes[label - 1];
        VOXCC_UNROLL
        for (int a = 0; a < 3; ++a) {
            exec::fetch_min(box.low + a, part.box.low[a]);
            exec::fetch_max(box.high + a, part.box.high[a]);
        }
    }

private:
    VOXCC_HD void add_moments(std::uint32_t label, const Moments<D>& part) const {
        const std::int64_t first = (std::int64_t(label) - 1) * Moments<D>::count;
        VOXCC_UNROLL
        for (int m = 0; m < Moments<D>::count; ++m) exec::fetch_add(moments + first + m, part.values[m]);
    }
};

/// The results of a run in the memory of the executor, without the labels.
struct Result {
    std::uint32_t components = 0;
    std::unique_ptr<exec::MemoryPart> memory;  // counts the property arrays per voxel and per component
    exec::Array<std::uint64_t> moments;        // [component][moment], if requested
    exec::Array<Box> boxes;                    // [component], if requested; not for Measure::early
    exec::Array<Sums<std::uint64_t>> rows;     // [component], in place of moments and boxes: block-runs with Measure::late
};

}  // namespace voxcc::algorithms
