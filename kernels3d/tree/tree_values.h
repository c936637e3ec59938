// The values of the voxels of a tree.
#pragma once
#include <voxcc/tree.h>

namespace voxcc::tree {

/// The values in their type, by place.
template <class T>
class TreeValues {
public:
    explicit TreeValues(const ComponentTree& tree)
        : tree_(tree),
          values_(reinterpret_cast<const T*>(tree.volume().voxels)),
          sign_(tree.extrema() == TreeRule::Extrema::minima ? -1 : 1) {}
    /// As it is stored.
    T stored(ComponentTree::Place place) const { return values_[tree_.voxel(place)]; }
    void prefetch(ComponentTree::Place place) const { __builtin_prefetch(values_ + tree_.voxel(place)); }
    /// Negated for minima.
    double operator()(ComponentTree::Place place) const { return sign_ * double(stored(place)) + 0.0; }

private:
    const ComponentTree& tree_;
    const T* values_;
    double sign_;
};

/// Calls f(values) with the values in their type.
template <class F>
decltype(auto) visit_values(const ComponentTree& tree, const F& f) {
    return visit_scalar(tree.volume().type, [&]<class T>(std::type_identity<T>) -> decltype(auto) { return f(TreeValues<T>(tree)); });
}

}  // namespace voxcc::tree
