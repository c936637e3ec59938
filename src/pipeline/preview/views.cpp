#include "src/pipeline/preview/views.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace voxcc::preview {
namespace {

using Direction = ViewAxis::Direction;

/// An axis of the world (x, y or z in mm). For a volume without a usable affine, it is a stored axis (i, j or k).
struct Axis {
    std::size_t stored;
    Direction direction;  // of the stored axis, towards positive positions
    std::string_view negative, positive;
};
using Axes = std::array<Axis, 3>;

/// The stored axes, assigned to x, y, z of the world (RAS+) so that the sum of the cosines of their angles is largest.
Axes nearest_axes(const io::Affine& affine) {
    const auto cosine = [&](std::size_t world, std::size_t stored) {
        return affine[world][stored] / std::hypot(affine[0][stored], affine[1][stored], affine[2][stored]);
    };
    std::array<std::size_t, 3> order{0, 1, 2}, best = order;
    double largest = 0;
    do {
        double sum = 0;
        for (std::size_t world = 0; world < 3; ++world) sum += std::abs(cosine(world, order[world]));
        if (sum > largest) largest = sum, best = order;
    } while (std::ranges::next_permutation(order).found);
    const auto direction = [&](std::size_t world) { return cosine(world, best[world]) < 0 ? Direction::descending : Direction::ascending; };
    return {{{best[0], direction(0), "L", "R"}, {best[1], direction(1), "P", "A"}, {best[2], direction(2), "I", "S"}}};
}

constexpr Axes stored_axes{
    {{0, Direction::ascending, "-i", "+i"}, {1, Direction::ascending, "-j", "+j"}, {2, Direction::ascending, "-k", "+k"}}};

constexpr Direction opposite(Direction d) { return d == Direction::ascending ? Direction::descending : Direction::ascending; }

ViewAxis towards_positive(const Axis& a) { return {a.stored, a.direction, a.negative, a.positive}; }
ViewAxis towards_negative(const Axis& a) { return {a.stored, opposite(a.direction), a.positive, a.negative}; }

std::vector<View> anatomical_views(const Axes& axes) {
    const auto& [x, y, z] = axes;
    return {{towards_negative(x), towards_negative(z), towards_negative(y), "coronal", "y"},
            {towards_negative(y), towards_negative(z), towards_positive(x), "sagittal", "x"},
            {towards_negative(x), towards_negative(y), towards_positive(z), "axial", "z"}};
}

/// The views of Fiji's "Orthogonal Views". Right, down and away are a right-handed system, as i, j, k are.
std::vector<View> stored_views(const Axes& axes) {
    const auto& [i, j, k] = axes;
    return {{towards_positive(i), towards_positive(j), towards_positive(k), "plane i j", "k"},
            {towards_positive(k), towards_positive(j), towards_negative(i), "plane k j", "i"},
            {towards_positive(i), towards_positive(k), towards_negative(j), "plane i k", "j"}};
}

}  // namespace

bool Views::show_left_and_right() const {
    return std::ranges::any_of(list, [](const View& view) { return view.right.first == "R"; });
}

Views views_of(const Extent& extent, const std::optional<io::Affine>& affine) {
    Views views;
    views.axes = affine ? Views::Axes::anatomical : Views::Axes::stored;
    views.list = affine ? anatomical_views(nearest_axes(*affine)) : stored_views(stored_axes);
    for (const std::size_t stored : {2, 1, 0}) {
        if (voxels_along(extent, stored) > 1) continue;
        std::erase_if(views.list, [&](const View& view) { return view.away.stored != stored; });
        break;
    }
    return views;
}

}  // namespace voxcc::preview
