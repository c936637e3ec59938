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

template <Powers P>
ExactSums exact(const IntegerSums<P>& s) {
    ExactSums all{ExactNumber(s.v), ExactNumber(s.vv), {}, {}, ExactNumber(s.vx), ExactNumber(s.vy), ExactNumber(s.vz)};
    if constexpr (P == Powers::four) all.cubes = {s.cubes, 0}, all.fourths = {s.fourths, 0};
    return all;
}

template <Powers P>
ExactSums exact(const FloatSums<P>& sums) {
    ExactSums all;
    sums.for_each([&](const ScaledSums<P>& s) {
        all.v = all.v + ExactNumber(s.v).scaled(s.unit);
        all.vv = all.vv + ExactNumber(s.vv, 2 * s.unit);
        if constexpr (P == Powers::four) {
            all.cubes = all.cubes + ExactNumber(s.cubes, 3 * s.unit);
            all.fourths = all.fourths + ExactNumber(s.fourths, 4 * s.unit);
        }
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

/// The value as 128 bits, if they hold it.
std::optional<int128> narrow(const int128& value) { return value; }
std::optional<int128> narrow(const WideInteger<3>& value) {
    const auto& [low, high, sign] = value.limbs();
    if (sign != std::uint64_t(std::int64_t(high) >> 63)) return std::nullopt;
    return int128(uint128(high) << 64 | low);
}

/// The same number, if it has at most 64 bits; else the nearest one. The conversion of 128 bits takes several times as long.
long double real(const int128& value) {
    return value == std::int64_t(value) ? static_cast<long double>(std::int64_t(value)) : static_cast<long double>(value);
}

/// The double that is nearest to a number, of which `near` differs by less than 2^-58 of its size; empty if there may be two.
std::optional<double> nearest_to(long double near) {
    const long double margin = near * 0x1p-58L;
    const double nearest = double(near);
    if (double(near - margin) != nearest || double(near + margin) != nearest) return std::nullopt;
    return nearest;
}

/// Sets sum, mean, standard deviation and weighted centroid from sums of 128 bits, with long doubles. A property is set only if its
/// rounding is certain. @param s sums in one unit, of values that are not scaled
/// @return false if describe_finite() must compute the properties
template <class Sums>
bool describe_quickly(IntensityProperties& p, const Sums& s, int unit, std::uint64_t count) {
    constexpr int128 most = int128{1} << 126;
    constexpr int most_unit = 700;                   // no result is subnormal or infinite
    if constexpr (LDBL_MANT_DIG < 64) return false;  // long double must have more digits than double
    const std::optional<int128> vv = narrow(s.vv), vx = narrow(s.vx), vy = narrow(s.vy), vz = narrow(s.vz);
    if (!vv || !vx || !vy || !vz || std::abs(unit) > most_unit || *vv > most / int128(count)) return false;
    const uint128 magnitude = s.v < 0 ? -uint128(s.v) : uint128(s.v);
    if (magnitude >> 63 != 0) return false;
    const uint128 second = uint128(*vv) * count - magnitude * magnitude;  // count^2 times the variance
    const long double number = real(count), v = real(s.v);
    const std::optional<double> mean = nearest_to(v / number);
    const std::optional<double> deviation = nearest_to(std::sqrt(real(int128(second))) / number);
    if (!mean || !deviation) return false;
    std::array<double, 3> centroid{IntensityProperties::none, IntensityProperties::none, IntensityProperties::none};
    if (s.v != 0) {
        const std::array<int128, 3> weighted{*vx, *vy, *vz};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::optional<double> index = nearest_to(real(weighted[axis]) / v);
            if (!index) return false;
            centroid[axis] = *index;
        }
    }
    p.sum = std::ldexp(double(s.v), unit), p.mean = std::ldexp(*mean, unit);
    p.standard_deviation = std::ldexp(*deviation, unit);
    p.weighted_centroid = centroid;
    return true;
}

bool describe_quickly(IntensityProperties& p, const IntegerSums<Powers::two>& s, std::uint64_t count) {
    return describe_quickly(p, s, 0, count);
}
bool describe_quickly(IntensityProperties& p, const FloatSums<Powers::two>& sums, std::uint64_t count) {
    if (sums.units() != 1) return false;
    bool is_done = false;
    sums.for_each([&](const ScaledSums<Powers::two>& s) { is_done = describe_quickly(p, s, s.unit, count); });
    return is_done;
}

/// Sets sum and mean of finite values v that are scaled: slope * v + intercept.
void describe_mean(IntensityProperties& p, const IntegerSums<Powers::one>& s, std::uint64_t count, const LinearScale& scale) {
    const bool is_scaled = scale.slope != 1 || scale.intercept != 0;
    if (LDBL_MANT_DIG >= 64 && !is_scaled && s.v == std::int64_t(s.v))
        if (const std::optional<double> mean = nearest_to(real(s.v) / real(count))) {
            p.sum = double(std::int64_t(s.v)), p.mean = *mean;
            return;
        }
    const ExactNumber weight = ExactNumber(scale.slope) * ExactNumber(s.v) + ExactNumber(scale.intercept) * ExactNumber(count);
    p.sum = weight.nearest();
    p.mean = weight.nearest_quotient(count);
}

/// Sets the same properties of a component of one voxel.
template <class Sums>
void describe_voxel(IntensityProperties& p, const IntensityMoments<Sums>& m) {
    p.sum = p.mean = p.min;
    p.standard_deviation = 0;
    if (m.min != 0) p.weighted_centroid = {double(m.x), double(m.y), double(m.z)};
}

/// Sets the properties of finite values v that are scaled: slope * v + intercept.
template <Powers P>
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
        if constexpr (P == Powers::four) {
            const ExactNumber third = n * (n * s.cubes - times(3, s.v * s.vv)) + times(2, s.v * s.v * s.v);
            const ExactNumber fourth =
                n * (n * (n * s.fourths - times(4, s.v * s.cubes)) + times(6, s.v * s.v * s.vv)) - times(3, s.v * s.v * s.v * s.v);
            const double skewness = double(third.rounded() / (m2 * square_root(m2)));
            p.skewness = scale.slope < 0 ? -skewness : skewness;
            p.kurtosis = double((fourth - times(3, second * second)).rounded() / (m2 * m2));
        }
    } else {
        p.standard_deviation = 0;
    }
    if (weight.is_zero()) return;
    const auto centroid = [&](const ExactNumber& weighted, std::uint64_t plain) {
        return double((slope * weighted + intercept * ExactNumber(plain)).rounded() / weight.rounded());
    };
    p.weighted_centroid = {centroid(s.vx, indices[0]), centroid(s.vy, indices[1]), centroid(s.vz, indices[2])};
}

/// Sets the positions of the extremes.
template <class Sums>
void describe_positions(IntensityProperties& p, const IntensityMoments<Sums>& m, bool descends, const std::optional<World>& world) {
    const auto indices = [](const std::array<std::uint32_t, 3>& at) { return std::array<std::int64_t, 3>{at[0], at[1], at[2]}; };
    p.minimum = indices(descends ? m.max_at : m.min_at), p.peak = indices(descends ? m.min_at : m.max_at);
    const auto in_mm = [&](const std::array<std::int64_t, 3>& at) {
        return world_position(*world, {double(at[0]), double(at[1]), double(at[2])});
    };
    if (world) p.minimum_mm = in_mm(*p.minimum), p.peak_mm = in_mm(*p.peak);
}

/// Sets the properties of finite values that follow from sums.
template <class Sums>
void describe_sums(IntensityProperties& p, const IntensityMoments<Sums>& m, const LinearScale& scale, const std::optional<World>& world,
                   const Wrapping& wrapping) {
    const bool is_scaled = scale.slope != 1 || scale.intercept != 0;
    bool is_done = false;
    if constexpr (Sums::powers == Powers::two) {
        if (!is_scaled && m.n == 1) describe_voxel(p, m), is_done = true;
        else if (!is_scaled) is_done = describe_quickly(p, m.sums, m.n);
    }
    if (!is_done) describe_finite<Sums::powers>(p, exact(m.sums), m.n, {m.x, m.y, m.z}, scale);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double& index = p.weighted_centroid[axis];
        index = wrapping.wraps.axes[axis] ? IntensityProperties::none : in_period(index, wrapping.period[axis]);
    }
    if (world) p.weighted_centroid_mm = world_position(*world, p.weighted_centroid, wrapping.wraps);
}

}  // namespace

template <class Sums>
IntensityProperties describe(const IntensityMoments<Sums>& m, const LinearScale& scale, const std::optional<World>& world,
                             const Wrapping& wrapping) {
    IntensityProperties p;
    if (m.n == 0) return p;
    const bool is_scaled = scale.slope != 1 || scale.intercept != 0;
    const auto scaled = [&](double value) {
        return is_scaled ? double(Quad(scale.slope) * Quad(value) + Quad(scale.intercept)) : value + 0.0;  // no -0
    };
    const bool descends = scale.slope < 0;
    p.min = scaled(descends ? m.max : m.min), p.max = scaled(descends ? m.min : m.max);
    if constexpr (IntensityMoments<Sums>::powers == Powers::four) describe_positions(p, m, descends, world);
    if (Sums::powers != Powers::one && m.min == m.max) p.standard_deviation = 0;
    for (const double value : {m.min, m.max, scale.slope, scale.intercept})
        if (!std::isfinite(value)) return p;
    if constexpr (Sums::powers == Powers::one) describe_mean(p, m.sums, m.n, scale);
    else describe_sums(p, m, scale, world, wrapping);
    return p;
}
#define VOXCC_INSTANTIATE(Sums) \
    template IntensityProperties describe(const IntensityMoments<Sums>&, const LinearScale&, const std::optional<World>&, const Wrapping&);
VOXCC_INSTANTIATE(IntegerSums<Powers::one>)
VOXCC_INSTANTIATE(IntegerSums<Powers::two>)
VOXCC_INSTANTIATE(IntegerSums<Powers::four>)
VOXCC_INSTANTIATE(FloatSums<Powers::two>)
VOXCC_INSTANTIATE(FloatSums<Powers::four>)
#undef VOXCC_INSTANTIATE

}  // namespace voxcc
