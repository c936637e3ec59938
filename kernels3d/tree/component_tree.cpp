// The component tree: voxels are added from the highest to the lowest value, and unite the components that they touch.
//
// Source: Najman, Couprie, "Building the component tree in quasi-linear time", 2006, in the form of Berger, Geraud, Levillain, Widynski,
// Baillard, Bertin, "Effective component tree computation with application to pattern recognition in astronomical imaging", 2007.
// Idea: the voxels are sorted by value and raster index, and added from the last place to the first. An added voxel joins the components of
// its neighbours. The last voxel that a component has got is its root in the tree, so its link leads to the added voxel. The voxels of one
// value are added from the last to the first in raster order, so the last one of a node that is added is its first voxel.
// Differences from the sources: union-find works on the components, not on the voxels. Each maximum starts one, so smooth volumes have
// few, and their table stays in the first cache. A voxel stores the number of its component at that time.
//
//   sort     order the voxels by value, by counting or by radix (value_order)
//   flood    from the last place to the first: unite the components of the neighbours, and link their last voxels to the added one
//   resolve  from the first place to the last: link each voxel to the first voxel of its node, and each node to its parent
// Memory: tree_bytes(). Shares of a volume can be merged later along their faces: links only lead to earlier places, which do not depend
// on threads.
#include "kernels3d/base/neighbourhood.h"
#include "kernels3d/tree/value_order.h"

#include <algorithm>

namespace voxcc {
namespace {

using Place = ComponentTree::Place;

/// The largest number of maxima: neighbours cannot both be maxima.
std::int64_t most_maxima(const Extent& extent, std::int64_t voxels) { return std::min(voxels, (extent.voxels() + 1) / 2); }

/// Union-find over components. A component that is joined with an older one has its number as parent. Parents change seldom, and last
/// voxels with every voxel. In one array, each search would wait for the last change.
class Components {
public:
    using Number = std::uint32_t;
    explicit Components(std::int64_t most) : parents_(std::size_t(most) + 1), lasts_(std::size_t(most) + 1) { parents_[0] = 0; }
    /// @param place of its first voxel
    Number add(Place place) {
        ++count_;
        parents_[count_] = count_, lasts_[count_] = place;
        return count_;
    }
    /// The parent; a component that is not joined is its own. 0 for 0.
    Number parent(Number number) const { return parents_[number]; }
    /// The component that a component is joined with. Halves the path to it.
    Number find(Number number) {
        while (parents_[number] != number) number = parents_[number] = parents_[parents_[number]];
        return number;
    }
    /// The last voxel of a component that is not joined.
    Place last(Number number) const { return lasts_[number]; }
    void set_last(Number number, Place place) { lasts_[number] = place; }
    /// @return the older one
    Number join(Number a, Number b) { return parents_[std::max(a, b)] = std::min(a, b); }

private:
    Buffer<Number> parents_;
    Buffer<Place> lasts_;
    Number count_ = 0;
};

/// @param numbers one per cell of the grid, 0; receives the components
/// @param links receives, for each place, the place that it was linked to, with in_node if both have the same value; none for roots
/// @return the number of links with in_node
template <std::size_t Steps>
Place flood(const tree::ValueOrder& order, const std::array<std::int64_t, Steps>& steps, Components components, Components::Number* numbers,
            Place* links) {
    using Number = Components::Number;
    constexpr Place ahead = 12;  // places whose neighbours are fetched into the cache before they are used
    Place level_end = order.size, in_nodes = 0;
    for (Place place = order.size; place-- > 0;) {
        if (place + 1 == order.size || order.begins_level(place + 1)) level_end = place;
        if (place >= ahead) {
            const Number* const next = numbers + order.cells[place - ahead];
            for (const std::int64_t step : steps) __builtin_prefetch(next + step);
        }
        Number* const cell = numbers + order.cells[place];
        Number newest = 0, before_oldest = ~Number{0};  // before_oldest: the smallest number - 1; 0 becomes the largest
        for (const std::int64_t step : steps) {
            const Number number = components.parent(cell[step]);
            newest = std::max(newest, number);
            before_oldest = std::min(before_oldest, number - 1);
        }
        links[place] = ComponentTree::none;
        if (newest == 0) {
            *cell = components.add(place);
            continue;
        }
        const auto link_last = [&](Number component) {
            const Place last = components.last(component);
            const bool is_in_node = last <= level_end;
            links[last] = is_in_node ? place | ComponentTree::in_node : place;
            in_nodes += is_in_node;
        };
        Number component = components.find(before_oldest + 1);
        link_last(component);
        if (newest != before_oldest + 1)
            for (const std::int64_t step : steps) {
                if (cell[step] == 0) continue;
                const Number other = components.find(cell[step]);
                if (other == component) continue;
                link_last(other);
                component = components.join(component, other);
            }
        components.set_last(component, place);
        *cell = component;
    }
    return in_nodes;
}

template <Connectivity C>
constexpr auto directions() {
    std::array<std::array<int, 3>, number_of(C)> directions{};
    std::size_t count = 0;
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if (is_neighbour(C, dx, dy, dz)) directions[count++] = {dx, dy, dz};
    return directions;
}

/// Replaces each linked place by the first place of its node.
void resolve(Place size, Place* links) {
    for (Place place = 0; place < size; ++place) {
        const Place link = links[place], flag = link & ComponentTree::in_node, to = link & ~ComponentTree::in_node;
        if (to == ComponentTree::none) continue;
        if (links[to] & ComponentTree::in_node) links[place] = (links[to] & ~ComponentTree::in_node) | flag;
    }
}

}  // namespace

std::int64_t tree_bytes(const Extent& extent, Connectivity connectivity, std::int64_t voxels) {
    const std::int64_t cells = tree::BorderedGrid(extent, reduced(connectivity, extent)).cells(), levels = voxels / 8 + 8;
    return levels + std::max(16 * voxels + 8, 8 * (voxels + most_maxima(extent, voxels) + 1) + 4 * cells);
}

ComponentTree component_tree(const VolumeView& volume, const TreeRule& rule, const TreeExecution& execution) {
    const Extent& extent = volume.extent;
    const std::string subject(execution.subject);
    if (volume.strides != dense(extent, size_of(volume.type))) throw Error(ErrorKind::unsupported, subject, "its voxels have gaps");
    TreeRule reduced_rule = rule;
    reduced_rule.connectivity = reduced(rule.connectivity, extent);
    const tree::BorderedGrid grid(extent, reduced_rule.connectivity);
    if (grid.cells() >= ComponentTree::none)
        throw Error(ErrorKind::unsupported, subject, "has " + std::to_string(extent.voxels()) + " voxels, and a tree has less than 2^31");
    tree::ValueOrder order = tree::sort_voxels(volume, reduced_rule, grid, execution);
    Buffer<Place> links(order.size);
    const Place in_nodes = visit_connectivity(reduced_rule.connectivity, [&]<Connectivity C> {
        std::array<std::int64_t, number_of(C)> steps{};
        std::ranges::transform(directions<C>(), steps.begin(), [&](const auto& d) { return grid.step(d[0], d[1], d[2]); });
        Buffer<Components::Number> numbers{std::size_t(grid.cells())};
        std::fill_n(numbers.data(), grid.cells(), 0);
        return flood(order, steps, Components(most_maxima(extent, order.size)), numbers.data(), links.data());
    });
    if (in_nodes > 0) resolve(order.size, links.data());
    for (Place place = 0; place < order.size; ++place) order.cells[place] = grid.voxel(order.cells[place]);
    struct Owned {
        Buffer<std::uint32_t> cells;
        Buffer<Place> links;
    };
    const auto owned = std::make_shared<const Owned>(Owned{std::move(order.cells), std::move(links)});
    return {volume, rule.extrema, {order.size, owned->cells.data(), owned->links.data(), owned}};
}

}  // namespace voxcc
