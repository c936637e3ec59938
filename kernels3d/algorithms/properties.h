// Properties of components as sums over their voxels: size, and first and second moments of the coordinates.
//
// Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, section III-B: coordinate sums instead of means, so
// that one atomic addition a value merges two parts of a component; they have the moments of 2D. Boxes: Hennequin et al. 2018 (ha.h).
// Coordinates are 0-based voxel indices of the volume, sums are exact 64-bit integers; see second_moments_fit() (statistics.h).
#pragma once
#include <voxcc/statistics.h>
#include "kernels3d/algorithms/problem.h"
#include "kernels3d/exec/atomic.h"

#include <memory>

namespace voxcc::algorithms {

/// Axes that a component extends along: 2 where connectivity stays within slices, or there is only one.
constexpr int dimension_of(Connectivity c) { return c == Connectivity::c4 || c == Connectivity::c8 ? 2 : 3; }

/// Calls f.template operator()<D>() with the dimension as a constant.
template <class F>
decltype(auto) visit_dimension(Connectivity c, const F& f) {
    if (dimension_of(c) == 2) return f.template operator()<2>();
    return f.template operator()<3>();
}

/// 6 in 2D: S Sx Sy Sxx Sxy Syy, 48 bytes; 10 in 3D: S Sx Sy Sz Sxx Sxy Sxz Syy Syz Szz, 80 bytes.
constexpr int moments_of(int dimension) { return 1 + dimension + dimension * (dimension + 1) / 2; }

template <int D>
struct Moments {
    static constexpr int count = moments_of(D);
    std::uint64_t values[count];
};

/// Both corners are inside. x y z, in 2D, too: that says which slice it is.
struct Box {
    std::uint32_t low[3], high[3];
};
inline constexpr Box empty_box{{~0u, ~0u, ~0u}, {0, 0, 0}};

/// What some voxels of one component have together.
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

/// Voxels on a line along an axis, not always side by side: how many, and the sums of their coordinates and of the squares of these.
struct Line {
    std::uint64_t n = 0, sum = 0, squares = 0;
    std::uint32_t first = 0, last = 0;

    /// @param at behind all that are there
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

/// @param at any voxel of the line
template <int Axis, int D>
VOXCC_HD Moments<D> moments_of_line(const Line& line, const exec::Cell& at) {
    const std::uint64_t c[3] = {at.x, at.y, at.z};
    Moments<D> moments;
    std::uint64_t* to = moments.values;
    *to++ = line.n;
    VOXCC_UNROLL
    for (int a = 0; a < D; ++a) *to++ = a == Axis ? line.sum : line.n * c[a];
    VOXCC_UNROLL
    for (int a = 0; a < D; ++a) VOXCC_UNROLL
    for (int b = a; b < D; ++b) {
        if (a == Axis && b == Axis) *to++ = line.squares;
        else *to++ = a == Axis ? line.sum * c[b] : b == Axis ? line.sum * c[a] : line.n * c[a] * c[b];
    }
    return moments;
}

template <int Axis, int D>
VOXCC_HD Part<D> part_of_line(const Line& line, const exec::Cell& at) {
    Part<D> part{moments_of_line<Axis, D>(line, at), {{at.x, at.y, at.z}, {at.x, at.y, at.z}}};
    part.box.low[Axis] = line.first;
    part.box.high[Axis] = line.last;
    return part;
}

/// The slots of all components, label k in slot k - 1; any threads may add at once.
template <int D>
struct Slots {
    std::uint64_t* moments;  // [component][moment]
    Box* boxes;

    VOXCC_HD void add(std::uint32_t label, const Part<D>& part) const {
        const std::int64_t slot = std::int64_t(label) - 1;
        VOXCC_UNROLL
        for (int m = 0; m < Moments<D>::count; ++m) exec::fetch_add(moments + slot * Moments<D>::count + m, part.moments.values[m]);
        Box& box = boxes[slot];
        VOXCC_UNROLL
        for (int a = 0; a < 3; ++a) {  // a look first: few parts widen a box, and an older value is at most narrower
            if (part.box.low[a] < exec::load(box.low + a)) exec::fetch_min(box.low + a, part.box.low[a]);
            if (part.box.high[a] > exec::load(box.high + a)) exec::fetch_max(box.high + a, part.box.high[a]);
        }
    }
};

/// What a run leaves in the executor's memory, beside the labels.
struct Result {
    std::uint32_t components = 0;
    std::unique_ptr<exec::MemoryPart> memory;  // of the properties, per voxel and per component; its peak is what they took
    exec::Array<std::uint64_t> moments;        // [component][moment], if asked for
    exec::Array<Box> boxes;                    // [component], late only
    exec::Array<Sums<std::uint64_t>> rows;     // [component], instead of both: block-runs, late
};

}  // namespace voxcc::algorithms
