// The reference for tests: labelling by flood fill. It shares no code with the tested algorithms.
#pragma once
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
};

/// Labels a volume by flood fill.
/// @param neighbours connectivity: 6, 18 or 26; or 4 or 8 within z-slices
/// @param periodic axes (x, y, z) that wrap around
/// @param takes_part takes_part(i): whether voxel i is foreground
/// @param joins joins(i, j): whether the foreground neighbours i and j are connected
template <class TakesPart, class Joins>
Labels flood_fill_by(Shape s, int neighbours, std::array<bool, 3> periodic, const TakesPart& takes_part, const Joins& joins) {
    Labels out{std::vector<std::uint64_t>(s.size(), 0), 0};
    std::vector<std::array<long, 3>> stack;
    const bool flat = neighbours == 4 || neighbours == 8;
    const int steps = neighbours == 4 || neighbours == 6 ? 1 : neighbours == 8 || neighbours == 18 ? 2 : 3;
    const long n[3] = {s.nx, s.ny, s.nz};
    for (long z = 0; z < s.nz; ++z)
        for (long y = 0; y < s.ny; ++y)
            for (long x = 0; x < s.nx; ++x) {
                const long start = (z * s.ny + y) * s.nx + x;
                if (!takes_part(start) || out.of[start]) continue;
                out.of[start] = ++out.count;
                stack.push_back({x, y, z});
                while (!stack.empty()) {
                    const auto p = stack.back();
                    stack.pop_back();
                    const long from = (p[2] * s.ny + p[1]) * s.nx + p[0];
                    for (int dz = flat ? 0 : -1; dz <= (flat ? 0 : 1); ++dz)
                        for (int dy = -1; dy <= 1; ++dy)
                            for (int dx = -1; dx <= 1; ++dx) {
                                if (std::abs(dx) + std::abs(dy) + std::abs(dz) > steps) continue;
                                long q[3] = {p[0] + dx, p[1] + dy, p[2] + dz};
                                bool inside = true;
                                for (int a = 0; a < 3; ++a) {
                                    if (periodic[a]) q[a] = (q[a] + n[a]) % n[a];
                                    inside = inside && q[a] >= 0 && q[a] < n[a];
                                }
                                if (!inside) continue;
                                const long to = (q[2] * s.ny + q[1]) * s.nx + q[0];
                                if (!out.of[to] && takes_part(to) && joins(from, to)) {
                                    out.of[to] = out.count;
                                    stack.push_back({q[0], q[1], q[2]});
                                }
                            }
                }
            }
    return out;
}

/// Labels a volume by equal values: neighbours are connected if their values are equal. 0 and NaN are background.
template <class T>
Labels flood_fill(const std::vector<T>& v, Shape s, int neighbours, std::array<bool, 3> periodic = {}) {
    return flood_fill_by(
        s, neighbours, periodic, [&](long i) { return v[i] != T{} && v[i] == v[i]; }, [&](long i, long j) { return v[i] == v[j]; });
}

}  // namespace oracle
