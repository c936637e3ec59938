// The reference for counts of shapes: every voxel, pair and cell of a component by itself. It shares no code with the tested functions.
#pragma once
#include <voxcc/shape.h>

#include "kernels/oracle.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace shape_oracle {

using namespace voxcc;
using Place = std::array<std::int64_t, 3>;

/// A volume of labels that may wrap around.
struct Labels {
    const std::vector<std::uint64_t>& of;  // [z][y][x]
    Extent e;
    std::array<bool, 3> around{};  // axes that wrap around
    bool flat = false;             // slices are separate

    Place axes() const { return {e.nx, e.ny, e.nz}; }
    std::uint64_t at(Place p) const {
        for (std::size_t a = 0; a < 3; ++a) {
            const std::int64_t n = axes()[a];
            if (around[a] && n > 1) p[a] = (p[a] + n) % n;
            if (p[a] < 0 || p[a] >= n) return 0;
        }
        return of[std::size_t((p[2] * e.ny + p[1]) * e.nx + p[0])];
    }
    /// The voxels of a label.
    std::vector<Place> voxels(std::uint64_t label) const {
        std::vector<Place> found;
        for (std::int64_t z = 0; z < e.nz; ++z)
            for (std::int64_t y = 0; y < e.ny; ++y)
                for (std::int64_t x = 0; x < e.nx; ++x)
                    if (at({x, y, z}) == label) found.push_back({x, y, z});
        return found;
    }
};

/// Vertices - edges + faces - cubes of closed cubes. Cells are found by their places: voxel x has the place 2 x + 1, and its faces have the
/// places 2 x and 2 x + 2. With `split`, a vertex of only two opposite voxels counts twice.
inline std::int64_t closed_euler(const Labels& labels, std::uint64_t label, bool split) {
    std::set<Place> cells;
    for (const Place& v : labels.voxels(label))
        for (int d = 0; d < 27; ++d) {
            if (labels.flat && d / 9 != 1) continue;
            Place cell{2 * v[0] + d % 3, 2 * v[1] + d / 3 % 3, 2 * v[2] + d / 9};
            for (std::size_t a = 0; a < 3; ++a)
                if (labels.around[a] && labels.axes()[a] > 1) cell[a] %= 2 * labels.axes()[a];
            cells.insert(cell);
        }
    std::int64_t euler = 0;
    for (const Place& c : cells) {
        const int dimension = int(c[0] % 2) + int(c[1] % 2) + (labels.flat ? 0 : int(c[2] % 2));
        euler += dimension % 2 ? -1 : 1;
        if (!split || dimension != 0) continue;
        std::vector<int> corners;
        for (int d = 0; d < 8; ++d)
            if (labels.at({c[0] / 2 - 1 + d % 2, c[1] / 2 - 1 + d / 2 % 2, c[2] / 2 - 1 + d / 4}) == label) corners.push_back(d);
        euler += corners.size() == 2 && corners[0] == 7 - corners[1];
    }
    return euler;
}

/// Voxels - pairs + 2x2 squares - 2x2x2 cubes.
inline std::int64_t open_euler(const Labels& labels, std::uint64_t label) {
    std::int64_t euler = 0;
    for (const Place& v : labels.voxels(label))
        for (int axes = 0; axes < 8; ++axes) {  // bit a: the block has two voxels along axis a
            if (labels.flat && axes >= 4) continue;
            bool full = true;
            for (int d = 0; d < 8; ++d)
                if ((d & ~axes) == 0) full = full && labels.at({v[0] + d % 2, v[1] + d / 2 % 2, v[2] + d / 4}) == label;
            if (full) euler += __builtin_popcount(unsigned(axes)) % 2 ? -1 : 1;
        }
    return euler;
}

inline ShapeCounts counts(const Labels& labels, std::uint64_t label, Cells cells) {
    ShapeCounts c;
    for (const Place& v : labels.voxels(label))
        for (std::size_t d = 0; d < 13; ++d) {
            const auto& [dx, dy, dz] = shape_directions[d];
            if (labels.flat && dz != 0) continue;
            c.pairs[d] += labels.at({v[0] + dx, v[1] + dy, v[2] + dz}) == label;
        }
    c.euler = cells == Cells::open ? open_euler(labels, label) : closed_euler(labels, label, cells == Cells::split);
    return c;
}

/// The largest distance between two corners of voxels of a label. -1 if the label wraps around an axis.
/// @param unwrapped the labels with the shifts of their voxels; null: no label is unwrapped
inline double feret(const Labels& labels, std::uint64_t label, const World& world, const oracle::Labels* unwrapped = nullptr) {
    std::vector<Place> voxels = labels.voxels(label);
    if (unwrapped) {
        const auto& wraps = unwrapped->wraps[label - 1];
        if (wraps[0] || wraps[1] || wraps[2]) return -1;
        for (Place& v : voxels) {
            const Place stored = v;
            for (std::size_t a = 0; a < 3; ++a)
                v[a] +=
                    unwrapped->shift[std::size_t((stored[2] * labels.e.ny + stored[1]) * labels.e.nx + stored[0])][a] * labels.axes()[a];
        }
    }
    double best = 0;
    for (const Place& a : voxels)
        for (const Place& b : voxels)
            for (int d = 0; d < 27; ++d) {
                if (labels.flat && d / 9 != 1) continue;
                const double x = double(b[0] - a[0] + d % 3 - 1), y = double(b[1] - a[1] + d / 3 % 3 - 1),
                             z = double(b[2] - a[2] + d / 9 - 1);
                double squares = 0;
                for (const auto& row : world.affine)
                    squares += (row[0] * x + row[1] * y + row[2] * z) * (row[0] * x + row[1] * y + row[2] * z);
                best = std::max(best, squares);
            }
    return std::sqrt(best);
}

}  // namespace shape_oracle
