#include "kernels3d/measure/outlines.h"
#include "kernels3d/measure/labelled_slice.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace voxcc {
namespace {

/// Twice the area of the triangle a b c; positive if c lies to the left of the line from a to b, for y upwards.
int128 turn(const Corner& a, const Corner& b, const Corner& c) {
    const auto d = [](std::uint32_t p, std::uint32_t q) { return int128(std::int64_t(q) - std::int64_t(p)); };
    return d(a.x, b.x) * d(a.y, c.y) - d(a.y, b.y) * d(a.x, c.x);
}

/// Adds a corner at a greater y to one side of an outline, and removes corners that are no longer convex.
/// @param sign 1 for the left side, -1 for the right side
void add_to_side(std::vector<Corner>& side, const Corner& corner, int sign) {
    while (side.size() >= 2 && sign * turn(side[side.size() - 2], side.back(), corner) >= 0) side.pop_back();
    side.push_back(corner);
}

/// Appends the corners of the convex outline of levels. @param levels in descending order of y
void append_sides(const std::vector<OutlineLevel>& levels, std::uint32_t z, std::vector<Corner>& side, std::vector<Corner>& to) {
    for (const int sign : {1, -1}) {
        side.clear();
        for (auto level = levels.rbegin(); level != levels.rend(); ++level)
            add_to_side(side, {sign > 0 ? level->least : level->most, level->y, z}, sign);
        to.insert(to.end(), side.begin(), side.end());
    }
}

}  // namespace

void OutlineFinder::add(std::uint32_t label, std::uint32_t y, std::uint32_t first, std::uint32_t last) {
    if (label >= last_row_.size()) last_row_.resize(std::max<std::size_t>(label + std::size_t{1}, last_row_.size() * 2));
    std::uint32_t& at = last_row_[label];
    if (at != 0 && rows_[at - 1].y == y) {
        rows_[at - 1].last = last;
        return;
    }
    if (at == 0) labels_.push_back(label);
    rows_.push_back({y, first, last, at});
    at = std::uint32_t(rows_.size());
}

void OutlineFinder::append_outline(std::uint32_t last_row, std::uint32_t z, std::vector<Corner>& to) {
    levels_.clear();  // in descending order of y
    for (std::uint32_t at = last_row; at != 0; at = rows_[at - 1].before) {
        const Row& row = rows_[at - 1];
        const std::uint32_t end = row.last + 1;
        if (!levels_.empty() && levels_.back().y == row.y + 1) {
            levels_.back().least = std::min(levels_.back().least, row.first);
            levels_.back().most = std::max(levels_.back().most, end);
        } else {
            levels_.push_back({row.y + 1, row.first, end});
        }
        levels_.push_back({row.y, row.first, end});
    }
    append_sides(levels_, z, side_, to);
}

void OutlineFinder::find(const LabelledSlice& slice, std::int64_t z, Outlines& to) {
    to.clear();
    rows_.clear();
    for (std::int64_t y = 0; y < slice.rows(); ++y) {
        std::uint32_t label = 0, first = 0, last = 0;  // successive words of one label are added together
        for (std::int64_t w = 0; w < slice.words(); ++w)
            slice.for_each_label(slice.row(y) + w, [&](std::uint32_t here, std::uint64_t columns) {
                if (here != label) {
                    if (label != 0) add(label, std::uint32_t(y), first, last);
                    label = here, first = std::uint32_t(64 * w + std::countr_zero(columns));
                }
                last = std::uint32_t(64 * w + 63 - std::countl_zero(columns));
            });
        if (label != 0) add(label, std::uint32_t(y), first, last);
    }
    for (const std::uint32_t label : labels_) {
        const std::size_t begin = to.corners.size();
        append_outline(last_row_[label], std::uint32_t(z), to.corners);
        to.outlines.push_back({label, begin, to.corners.size() - begin});
        last_row_[label] = 0;
    }
    labels_.clear();
}

void keep_convex(std::vector<Corner>& corners) {
    std::ranges::sort(corners, [](const Corner& a, const Corner& b) { return std::tie(a.z, b.y, a.x) < std::tie(b.z, a.y, b.x); });
    std::vector<Corner> kept, side;
    std::vector<OutlineLevel> levels;
    for (auto at = corners.begin(); at != corners.end();) {
        const std::uint32_t z = at->z;
        for (levels.clear(); at != corners.end() && at->z == z; ++at) {
            if (levels.empty() || levels.back().y != at->y) levels.push_back({at->y, at->x, at->x});
            levels.back().most = at->x;
        }
        append_sides(levels, z, side, kept);
    }
    corners = std::move(kept);
}

}  // namespace voxcc
