// The spirals: a square spiral, and a spiral whose arms zigzag.
#include "kernels3d/test_volumes/kinds.h"

#include <algorithm>

namespace voxcc {
namespace {

/// Whether a voxel is on the square spiral, which leads inwards from the corner (0, 0). Every second ring d is drawn, without the voxel
/// (d, d + 1), which would close the ring. The voxel (d + 1, d + 2) connects ring d with the next drawn ring. If the last ring is too thin
/// to have an inside, only two of its sides are drawn.
///   # # # # # # #
///   . . . . . . #
///   # # # # # . #
///   # . . . # . #
///   # . # # # . #
///   # . . . . . #
///   # # # # # # #
bool in_square_spiral(std::int64_t x, std::int64_t y, const Extent& e) {
    const std::int64_t d = std::min({x, y, e.nx - 1 - x, e.ny - 1 - y});
    const std::int64_t width = e.nx - 2 * d, height = e.ny - 2 * d;
    const bool seam = x == d && y == d + 1;
    if (d % 2 == 1) return seam && width >= 3 && height >= 3;
    if (width < 3 || height < 3) return y == d || x == e.nx - 1 - d;
    return !seam;
}

/// Whether a pixel is on a tooth: a line from (0, 0) to (zigzag_tooth, 0) by way of (zigzag_tooth / 2, zigzag_tooth / 2). The pixels of
/// the tooth are connected with 4 neighbours.
///   # . . . . . . #        along: 0 to zigzag_tooth - 1, here to the right
///   # # . . . . # #        across: here downwards
///   . # # . . # # .
///   . . # # # # . .
///   . . . # # . . .
bool in_tooth(std::int64_t along, std::int64_t across) {
    const auto depth = [](std::int64_t i) { return std::min(i, zigzag_tooth - i); };
    return across >= std::min(depth(along), depth(along + 1)) && across <= std::max(depth(along), depth(along + 1));
}

}  // namespace

bool in_spiral(std::int64_t x, std::int64_t y, std::int64_t z, const Extent& e) {
    if (z % 2 == 0) return in_square_spiral(x, y, e);
    if (z + 1 == e.nz) return false;
    if (z % 4 == 3) return x == 0 && y == 0;
    const std::int64_t d = (std::min(e.nx, e.ny) - 1) / 4 * 2;  // the innermost drawn ring
    const bool thin = e.nx - 2 * d < 3 || e.ny - 2 * d < 3;
    return thin ? x == e.nx - 1 - d && y == e.ny - 1 - d : x == d && y == d + 2;
}

// The first pixels of square cells of zigzag_tooth pixels per edge are the points of a square spiral on the grid of cells. A tooth leads
// from each point to the next. Teeth stay in their cells, and points that are not neighbours on the spiral are two cells apart, so that
// two arms do not touch.
bool in_zigzag_spiral(std::int64_t x, std::int64_t y, const Extent& e) {
    const Extent cells{e.nx / zigzag_tooth, e.ny / zigzag_tooth, 1};
    const std::int64_t i = x / zigzag_tooth, j = y / zigzag_tooth, right = x % zigzag_tooth, down = y % zigzag_tooth;
    const auto is_point = [&](std::int64_t ci, std::int64_t cj) {
        return ci < cells.nx && cj < cells.ny && in_square_spiral(ci, cj, cells);
    };
    if (!is_point(i, j)) return false;
    if (right == 0 && down == 0) return true;
    return (is_point(i + 1, j) && in_tooth(right, down)) || (is_point(i, j + 1) && in_tooth(down, right));
}

}  // namespace voxcc
