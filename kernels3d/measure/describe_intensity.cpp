// Computes the properties of an intensity image from exact sums. Differences are exact, so nothing cancels.
#include <voxcc/measure.h>

#include "kernels3d/measure/exact_number.h"
#include "kernels3d/measure/intensity_table.h"

#include <cmath>

namespace voxcc {
namespace {

/// The sums of a component.
struct ExactSums {
    ExactNumber v, vv, cubes, fourths, vx, vy, vz;
};

ExactSums exact(const IntegerSums& s) {
    return {ExactNumber(s.v), ExactNumber(s.vv), {s.cubes, 0}, {s.fourths, 0}, ExactNumber(s.vx), ExactNumber(s.vy), ExactNumber(s.vz)};
}

ExactSums exact(const FloatSums& sums) {
    ExactSums all;
    sums.for_each([&](const ScaledSums& s) {
        all.v = all.v + ExactNumber(s.v).scaled(s.unit);
        all.vv = all.vv + ExactNumber(s.vv, 2 * s.unit);
        all.cubes = all.cubes + ExactNumber(s.cubes, 3 * s.unit);
        all.fourths = all.fourths + ExactNumber(s.fourths, 4 * s.unit);
        all.vx = all.vx + ExactNumber(s.vx, s.unit);
        all.vy = all.vy + ExactNumber(s.vy, s.unit);
        all.vz = all.vz + ExactNumber(s.vz, s.unit);
    });
    return all;
}

ExactNumber times(std::uint64_t factor, const ExactNumber& number) { return ExactNumber(factor) * number; }

Quad square_root(Quad value) {
    const Quad root = std::sqrt(static_cast<long double>(value));  // one step of Newton's method doubles its digits
    return root == 0 ? root : (root + value / root) / 2;
}

/// Sets the properties of finite values v that are scaled: slope * v + intercept.
void describe_finite(IntensityProperties& p, const ExactSums& s, std::uint64_t count, const std::array<std::uint64_t, 3>& indices,
                     const LinearScale& scale) {
    const ExactNumber slope(scale.slope), intercept(scale.intercept), n(count);
    const ExactNumber weight = slope * s.v + intercept * n;
    p.sum = weight.nearest();
    p.mean = weight.nearest_quotient(count);
    const ExactNumber second = n * s.vv - s.v * s.v;  // n^2 times the variance of v
    if (!second.is_zero()) {
        const Quad m2 = second.rounded();
        p.standard_deviation = double(Quad(std::abs(scale.slope)) * square_root(m2) / Quad(count));
        const ExactNumber third = n * (n * s.cubes - times(3, s.v * s.vv)) + times(2, s.v * s.v * s.v);
        const ExactNumber fourth =
            n * (n * (n * s.fourths - times(4, s.v * s.cubes)) + times(6, s.v * s.v * s.vv)) - times(3, s.v * s.v * s.v * s.v);
        const double skewness = double(third.rounded() / (m2 * square_root(m2)));
        p.skewness = scale.slope < 0 ? -skewness : skewness;
        p.kurtosis = double((fourth - times(3, second * second)).rounded() / (m2 * m2));
    } else {
        p.standard_deviation = 0;
    }
    if (weight.is_zero()) return;
    const auto centroid = [&](const ExactNumber& weighted, std::uint64_t plain) {
        return double((slope * weighted + intercept * ExactNumber(plain)).rounded() / weight.rounded());
    };
    p.weighted_centroid = {centroid(s.vx, indices[0]), centroid(s.vy, indices[1]), centroid(s.vz, indices[2])};
}

}  // namespace

template <class Sums>
IntensityProperties describe(const IntensityMoments<Sums>& m, const LinearScale& scale, const std::optional<World>& world,
                             const Wrapping& wrapping) {
    IntensityProperties p;
    if (m.n == 0) return p;
    const auto scaled = [&](double value) { return double(Quad(scale.slope) * Quad(value) + Quad(scale.intercept)); };
    const bool descends = scale.slope < 0;
    p.min = scaled(descends ? m.max : m.min), p.max = scaled(descends ? m.min : m.max);
    const auto indices = [](const std::array<std::uint32_t, 3>& at) { return std::array<std::int64_t, 3>{at[0], at[1], at[2]}; };
    p.minimum = indices(descends ? m.max_at : m.min_at), p.peak = indices(descends ? m.min_at : m.max_at);
    const auto in_mm = [&](const std::array<std::int64_t, 3>& at) {
        return world_position(*world, {double(at[0]), double(at[1]), double(at[2])});
    };
    if (world) p.minimum_mm = in_mm(*p.minimum), p.peak_mm = in_mm(*p.peak);
    if (m.min == m.max) p.standard_deviation = 0;
    for (const double value : {m.min, m.max, scale.slope, scale.intercept})
        if (!std::isfinite(value)) return p;
    describe_finite(p, exact(m.sums), m.n, {m.x, m.y, m.z}, scale);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double& index = p.weighted_centroid[axis];
        index = wrapping.wraps.axes[axis] ? IntensityProperties::none : in_period(index, wrapping.period[axis]);
    }
    if (world) p.weighted_centroid_mm = world_position(*world, p.weighted_centroid, wrapping.wraps);
    return p;
}
template IntensityProperties describe(const IntensityMoments<IntegerSums>&, const LinearScale&, const std::optional<World>&,
                                      const Wrapping&);
template IntensityProperties describe(const IntensityMoments<FloatSums>&, const LinearScale&, const std::optional<World>&, const Wrapping&);

}  // namespace voxcc
