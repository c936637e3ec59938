// The reference for tests: labelling by flood fill. It shares no code with the tested algorithms.
//
// In a periodic volume, the flood fill also finds the place of each voxel in an unlimited space that the volume fills again and again. A
// component that reaches a voxel in two places wraps around the axes along which the places differ.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace oracle {

struct Shape {
    long nx, ny, nz;
    long size() const { return nx * ny * nz; }
};

struct Labels {
    std::vector<std::uint64_t> of;  // [z][y][x]: labels 1..count by first voxel, 0 is background
    std::uint64_t count = 0;
    // Along each axis, the number of extents by which the voxel is moved to unwrap its component. The smallest of a component is 0. 0 along
    // axes that the component wraps around.
    std::vector<std::array<long, 3>> shift = {};
    std::vector<std::array<bool, 3>> wraps = {};  // by label - 1: the axes that the component wraps around
};

/// Sets the smallest shift of each component along each axis to 0.
inline void normalise(Labels& labels) {
    std::vector<std::array<long, 3>> least(labels.count);
    for (int pass = 0; pass < 2; ++pass)
        for (std::size_t i = 0; i < labels.of.size(); ++i)
            for (std::size_t a = 0; a < 3 && labels.of[i] > 0; ++a) {
                long &shift = labels.shift[i][a], &smallest = least[labels.of[i] - 1][a];
                if (labels.wraps[labels.of[i] - 1][a]) shift = 0;
                else if (pass == 0) smallest = std::min(smallest, shift);
                else shift -= smallest;
            }
}

/// The steps from a voxel to its neighbours.
/// @param neighbours connectivity: 6, 18 or 26; or 4 or 8 within z-slices
inline std::vector<std::array<long, 3>> steps_of(int neighbours) {
    const bool flat = neighbours == 4 || neighbours == 8;
    const int axes = neighbours == 4 || neighbours == 6 ? 1 : neighbours == 8 || neighbours == 18 ? 2 : 3;  // that a step may change
    std::vector<std::array<long, 3>> steps;
    for (long dz = flat ? 0 : -1; dz <= (flat ? 0 : 1); ++dz)
        for (long dy = -1; dy <= 1; ++dy)
            for (long dx = -1; dx <= 1; ++dx)
                if (const long changed = std::abs(dx) + std::abs(dy) + std::abs(dz); changed > 0 && changed <= axes)
                    steps.push_back({dx, dy, dz});
    return steps;
}

/// Labels a volume by flood fill. Most of the time of the tests is spent here, so there are no divisions in the loops.
/// @param neighbours connectivity: 6, 18 or 26; or 4 or 8 within z-slices
/// @param periodic axes (x, y, z) that wrap around
/// @param takes_part takes_part(i): whether voxel i is foreground
/// @param joins joins(i, j): whether the foreground neighbours i and j are connected
template <class TakesPart, class Joins>
Labels flood_fill_by(Shape s, int neighbours, std::array<bool, 3> periodic, const TakesPart& takes_part, const Joins& joins) {
    Labels out{std::vector<std::uint64_t>(s.size(), 0)};
    out.shift.resize(s.size());
    std::vector<std::array<long, 3>> stack;
    const std::array<long, 3> n{s.nx, s.ny, s.nz};
    const auto index_of = [&](const std::array<long, 3>& p) { return (p[2] * s.ny + p[1]) * s.nx + p[0]; };
    const std::vector<std::array<long, 3>> steps = steps_of(neighbours);
    const bool is_periodic = periodic != std::array<bool, 3>{};
    // Marks the neighbour q, which has been moved by `shift` extents, as reached from voxel `from`.
    const auto reach = [&](long from, const std::array<long, 3>& q, const std::array<long, 3>& shift) {
        const long to = index_of(q);
        if (out.of[to] && !is_periodic) return;
        if (!takes_part(to) || !joins(from, to)) return;
        if (!out.of[to]) {
            out.of[to] = out.count;
            out.shift[to] = shift;
            stack.push_back(q);
        }
        for (std::size_t a = 0; a < 3; ++a)
            if (shift[a] != out.shift[to][a]) out.wraps.back()[a] = true;
    };
    const auto reach_around = [&](long from, std::array<long, 3> q) {
        std::array<long, 3> shift = out.shift[from];
        for (std::size_t a = 0; a < 3; ++a) {
            if (q[a] >= 0 && q[a] < n[a]) continue;
            if (!periodic[a]) return;
            if (n[a] > 1) shift[a] += q[a] < 0 ? -1 : 1;
            q[a] = q[a] < 0 ? n[a] - 1 : 0;
        }
        reach(from, q, shift);
    };
    for (long z = 0; z < s.nz; ++z)
        for (long y = 0; y < s.ny; ++y)
            for (long x = 0; x < s.nx; ++x) {
                const long start = index_of({x, y, z});
                if (!takes_part(start) || out.of[start]) continue;
                out.of[start] = ++out.count;
                out.wraps.emplace_back();
                stack.push_back({x, y, z});
                while (!stack.empty()) {
                    const auto [px, py, pz] = stack.back();
                    stack.pop_back();
                    const long from = index_of({px, py, pz});
                    const bool has_all = px > 0 && py > 0 && pz > 0 && px + 1 < s.nx && py + 1 < s.ny && pz + 1 < s.nz;
                    for (const auto& [dx, dy, dz] : steps)
                        if (has_all) reach(from, {px + dx, py + dy, pz + dz}, out.shift[from]);
                        else reach_around(from, {px + dx, py + dy, pz + dz});
                }
            }
    if (is_periodic) normalise(out);
    return out;
}

/// Labels a volume by equal values: neighbours are connected if their values are equal. 0 and NaN are background.
template <class T>
Labels flood_fill(const std::vector<T>& v, Shape s, int neighbours, std::array<bool, 3> periodic = {}) {
    return flood_fill_by(
        s, neighbours, periodic, [&](long i) { return v[i] != T{} && v[i] == v[i]; }, [&](long i, long j) { return v[i] == v[j]; });
}

}  // namespace oracle
