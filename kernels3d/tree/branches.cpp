#include "kernels3d/tree/tree_values.h"

#include <algorithm>

namespace voxcc {
namespace {

using Place = ComponentTree::Place;

/// The higher of two maxima; of equal ones the first in raster order.
template <class Values>
Place elder(const Values& value, Place a, Place b) {
    if (value.stored(a) == value.stored(b)) return std::min(a, b);
    return std::max(a, b);
}

/// The elder maximum of the component of each node.
template <class Values>
std::vector<Place> elders_of(const ComponentTree& tree, const Values& value) {
    std::vector<Place> elders(tree.size(), ComponentTree::none);
    for (Place place = tree.size(); place-- > 0;) {
        if (!tree.is_node(place)) continue;
        if (elders[place] == ComponentTree::none) elders[place] = place;
        const Place parent = tree.link(place);
        if (parent == ComponentTree::none) continue;
        elders[parent] = elders[parent] == ComponentTree::none ? elders[place] : elder(value, elders[parent], elders[place]);
    }
    return elders;
}

/// Copies what is written at the first voxel of each node to its other voxels.
template <class T>
void spread(const ComponentTree& tree, std::span<T> out) {
    for (Place place = 0; place < tree.size(); ++place)
        if (!tree.is_node(place)) out[tree.voxel(place)] = out[tree.voxel(tree.link(place))];
}

}  // namespace

double value_at(const ComponentTree& tree, Place place) {
    return tree::visit_values(tree, [&](const auto& value) { return value(place); });
}

std::vector<std::uint32_t> component_sizes(const ComponentTree& tree) {
    std::vector<std::uint32_t> sizes(tree.size(), 1);
    for (Place place = tree.size(); place-- > 0;) {
        if (const Place link = tree.link(place); link != ComponentTree::none) sizes[link] += sizes[place];
        if (!tree.is_node(place)) sizes[place] = 0;
    }
    return sizes;
}

std::vector<Branch> branches_of(const ComponentTree& tree) {
    return tree::visit_values(tree, [&](const auto& value) {
        const std::vector<Place> elders = elders_of(tree, value);
        const std::vector<std::uint32_t> sizes = component_sizes(tree);
        struct End {
            Branch branch;
            Place parent;  // the elder maximum; none for a branch without death
        };
        std::vector<End> ends;
        for (Place place = 0; place < tree.size(); ++place) {
            if (!tree.is_node(place)) continue;
            const Place parent = tree.link(place), peak = elders[place];
            const bool is_root = parent == ComponentTree::none;
            if (!is_root && elders[parent] == peak) continue;
            Branch branch;
            branch.node = peak, branch.birth = value(peak), branch.lowest = value(place), branch.voxels = sizes[place];
            if (!is_root) branch.death = value(parent);
            ends.push_back({branch, is_root ? ComponentTree::none : elders[parent]});
        }
        std::ranges::sort(ends, [&](const End& a, const End& b) {
            const auto of_a = value.stored(a.branch.node), of_b = value.stored(b.branch.node);
            return (a.branch.node < b.branch.node) == (of_a == of_b) && a.branch.node != b.branch.node;
        });
        std::vector<Branch> branches;
        std::vector<std::size_t> rows(tree.size());
        for (const End& end : ends) {
            rows[end.branch.node] = branches.size();
            Branch& branch = branches.emplace_back(end.branch);
            branch.dynamics = branch.birth - branch.death.value_or(branch.lowest);
            if (end.parent == ComponentTree::none) continue;
            branch.parent = rows[end.parent];
            const Branch& parent = branches[*branch.parent];
            if (value.stored(parent.node) == value.stored(branch.node)) branch.dynamics = parent.dynamics;
        }
        return branches;
    });
}

template <class Real>
void write_dynamics(const ComponentTree& tree, std::span<const Branch> branches, std::span<Real> out) {
    std::ranges::fill(out, Real(0));
    for (const Branch& branch : branches) out[tree.voxel(branch.node)] = Real(branch.dynamics);
    spread(tree, out);
}

template void write_dynamics(const ComponentTree&, std::span<const Branch>, std::span<float>);
template void write_dynamics(const ComponentTree&, std::span<const Branch>, std::span<double>);

void write_h_maxima(const ComponentTree& tree, std::span<const Branch> branches, double height, std::span<std::uint8_t> out) {
    std::ranges::fill(out, 0);
    for (const Branch& branch : branches) out[tree.voxel(branch.node)] = branch.dynamics >= height;
    spread(tree, out);
}

void write_area_opening(const ComponentTree& tree, std::uint64_t least_voxels, std::byte* out) {
    const std::vector<std::uint32_t> sizes = component_sizes(tree);
    visit_scalar(tree.volume().type, [&]<class T>(std::type_identity<T>) {
        const tree::TreeValues<T> value(tree);
        const std::span<T> opened(reinterpret_cast<T*>(out), std::size_t(tree.volume().extent.voxels()));
        std::ranges::fill(opened, T(0));
        for (Place place = 0; place < tree.size(); ++place) {
            const Place link = tree.link(place);
            const bool is_kept = tree.is_node(place) && sizes[place] >= least_voxels;
            if (is_kept) opened[tree.voxel(place)] = value.stored(place);
            else if (link != ComponentTree::none) opened[tree.voxel(place)] = opened[tree.voxel(link)];
        }
    });
}

std::vector<ThresholdCount> counts_of(const ComponentTree& tree) {
    return tree::visit_values(tree, [&](const auto& value) {
        std::vector<ThresholdCount> counts;
        std::vector<std::uint32_t> levels(tree.size());
        for (Place place = 0; place < tree.size(); ++place) {
            if (place == 0 || value.stored(place) != value.stored(place - 1)) counts.push_back({value(place), 0, tree.size() - place});
            levels[place] = std::uint32_t(counts.size() - 1);
        }
        // A node is a component of the thresholds above the value of its parent, up to its own value. Unsigned numbers may wrap here.
        for (Place place = 0; place < tree.size(); ++place) {
            if (!tree.is_node(place)) continue;
            ++counts[levels[place]].components;
            if (const Place parent = tree.link(place); parent != ComponentTree::none) --counts[levels[parent]].components;
        }
        for (std::size_t i = counts.size(); i-- > 1;) counts[i - 1].components += counts[i].components;
        return counts;
    });
}

std::vector<ThresholdCount> counts_at(std::span<const ThresholdCount> counts, std::span<const double> thresholds) {
    std::vector<ThresholdCount> result;
    for (const double threshold : thresholds) {
        const auto at = std::ranges::lower_bound(counts, threshold, {}, &ThresholdCount::threshold);
        result.push_back(at == counts.end() ? ThresholdCount{threshold, 0, 0} : ThresholdCount{threshold, at->components, at->voxels});
    }
    return result;
}

}  // namespace voxcc
