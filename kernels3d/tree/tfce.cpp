#include "kernels3d/base/buffer.h"
#include "kernels3d/tree/tree_values.h"

#include <cmath>

namespace voxcc {
namespace {

using Place = ComponentTree::Place;

/// x^exponent, in fewer instructions for common exponents.
class Power {
public:
    explicit Power(double exponent) : exponent_(exponent) {}
    double operator()(double x) const {
        if (exponent_ == 0.5) return std::sqrt(x);
        if (exponent_ == 1) return x;
        if (exponent_ == 2) return x * x;
        if (exponent_ == 3) return x * x * x;
        return std::pow(x, exponent_);
    }

private:
    double exponent_;
};

/// The integral of h^power from 0 to a height.
class ExactHeights {
public:
    explicit ExactHeights(double power) : power_(power + 1), factor_(1 / (power + 1)) {}
    double operator()(double height) const { return power_(height) * factor_; }

private:
    Power power_;
    double factor_;
};

/// The functions for the usual exponents 0.5 and 2.
struct UsualExtent {
    double operator()(double voxels) const { return std::sqrt(voxels); }
};
struct UsualHeights {
    double operator()(double height) const { return height * height * height * (1. / 3); }
};

/// The sum of h^power step over h = step, 2 step, ... up to a height.
class StepHeights {
public:
    /// @param type of the values @param highest the highest height
    StepHeights(double power, double step, ScalarType type, double highest)
        : steps_per_height_((1 + (type == ScalarType::f32 ? 0x1p-23 : 0x1p-51)) / step) {
        if (highest * steps_per_height_ > most_tfce_steps)
            throw Error(ErrorKind::invalid_argument, "step", "is so small that there are more than 16,777,216 steps");
        const Power raise(power);
        sums_.resize(steps(highest) + 1);
        for (std::size_t k = 1; k < sums_.size(); ++k) sums_[k] = sums_[k - 1] + raise(double(k) * step) * step;
    }
    double operator()(double height) const { return sums_[steps(height)]; }

private:
    std::size_t steps(double height) const { return std::size_t(height * steps_per_height_); }
    double steps_per_height_;  // larger by the precision of the values, so that a height is reached if it differs by rounding only
    std::vector<double> sums_;
};

void check(const TfceRule& rule) {
    if (!(rule.e >= 0 && std::isfinite(rule.e))) throw Error(ErrorKind::invalid_argument, "e", "must be finite and at least 0");
    if (!(rule.h >= 0 && std::isfinite(rule.h))) throw Error(ErrorKind::invalid_argument, "h", "must be finite and at least 0");
    if (rule.step && !(*rule.step > 0 && std::isfinite(*rule.step)))
        throw Error(ErrorKind::invalid_argument, "step", "must be finite and above 0");
}

/// First the voxels of a component, then the enhanced value of its node.
union Slot {
    std::uint64_t voxels;
    double enhanced;
};

constexpr Place ahead = 24;  // places whose values are fetched into the cache before they are used

template <class Values, class Extent, class Heights, class Real>
void enhance(const ComponentTree& tree, const Values& value, const Extent& extent, const Heights& heights, std::span<Real> out) {
    const Place size = tree.size();
    Buffer<Slot> slots(size);
    for (Place place = 0; place < size; ++place) slots[place].voxels = 1;
    for (Place place = size; place-- > 0;)
        if (const Place link = tree.link(place); link != ComponentTree::none) slots[link].voxels += slots[place].voxels;
    const double sign = tree.extrema() == TreeRule::Extrema::minima ? -1 : 1;
    for (Place place = 0; place < size; ++place) {
        if (place + ahead < size) value.prefetch(place + ahead), __builtin_prefetch(&out[tree.voxel(place + ahead)], 1);
        const Place link = tree.link(place);
        if (tree.is_node(place)) {
            const bool is_root = link == ComponentTree::none;
            const double below = is_root ? 0 : slots[link].enhanced, height = heights(value(place)) - (is_root ? 0 : heights(value(link)));
            slots[place].enhanced = below + extent(double(slots[place].voxels)) * height;
        } else {
            slots[place].enhanced = slots[link].enhanced;
        }
        out[tree.voxel(place)] = Real(sign * slots[place].enhanced);
    }
}

}  // namespace

template <class Real>
void write_tfce(const ComponentTree& tree, const TfceRule& rule, std::span<Real> out) {
    check(rule);
    if (tree.size() == 0) return;
    tree::visit_values(tree, [&](const auto& value) {
        if (rule.step)
            enhance(tree, value, Power(rule.e), StepHeights(rule.h, *rule.step, tree.volume().type, value(tree.size() - 1)), out);
        else if (rule.e == 0.5 && rule.h == 2) enhance(tree, value, UsualExtent(), UsualHeights(), out);
        else enhance(tree, value, Power(rule.e), ExactHeights(rule.h), out);
    });
}

template void write_tfce(const ComponentTree&, const TfceRule&, std::span<float>);
template void write_tfce(const ComponentTree&, const TfceRule&, std::span<double>);

}  // namespace voxcc
